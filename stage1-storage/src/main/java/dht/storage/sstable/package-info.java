/**
 * Tables on the disk. {@link dht.storage.sstable.SSTable} finds keys and iterates over them, with
 * {@link dht.storage.sstable.BloomFilter} and {@link dht.storage.sstable.SparseIndex}. {@link
 * dht.storage.sstable.SSTableWriter} writes tables. {@link dht.storage.sstable.DamagedBlocks}
 * remembers which blocks could not be read. The format is described by {@link
 * dht.storage.sstable.BlockLayout}, {@link dht.storage.sstable.BloomFilter}, {@link
 * dht.storage.sstable.SparseIndex} and {@link dht.storage.sstable.Footer}.
 */
package dht.storage.sstable;
