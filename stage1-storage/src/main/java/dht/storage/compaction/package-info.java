/**
 * Merging of tables. {@link dht.storage.compaction.CompactionPolicy} picks the tables, {@link
 * dht.storage.compaction.MergingCursor} iterates over them as one, and {@link
 * dht.storage.compaction.Compaction} writes the table that replaces them.
 */
package dht.storage.compaction;
