/**
 * The newest entries, in memory: {@link dht.storage.memtable.MemTable} puts and finds, {@link
 * dht.storage.memtable.SkipList} sorts, {@link dht.storage.memtable.NodeLayout} says how a node
 * lies in memory, {@link dht.storage.memtable.MemTableCursor} walks.
 */
package dht.storage.memtable;
