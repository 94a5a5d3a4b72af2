/**
 * The newest entries, in memory. {@link dht.storage.memtable.MemTable} puts and finds entries,
 * {@link dht.storage.memtable.SkipList} keeps them sorted, {@link dht.storage.memtable.NodeLayout}
 * describes the bytes of a node, and {@link dht.storage.memtable.MemTableCursor} iterates over
 * them.
 */
package dht.storage.memtable;
