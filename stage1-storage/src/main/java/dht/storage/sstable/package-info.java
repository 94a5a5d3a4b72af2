/**
 * Tables on disk. {@link dht.storage.sstable.SSTable} finds and walks with the help of {@link
 * dht.storage.sstable.BloomFilter} and {@link dht.storage.sstable.SparseIndex}; {@link
 * dht.storage.sstable.SSTableWriter} writes. The format: {@link dht.storage.sstable.BlockLayout},
 * {@link dht.storage.sstable.BloomFilter}, {@link dht.storage.sstable.SparseIndex}, {@link
 * dht.storage.sstable.Footer}.
 */
package dht.storage.sstable;
