/**
 * Merging tables: {@link dht.storage.compaction.CompactionPolicy} picks them, {@link
 * dht.storage.compaction.MergingCursor} walks them as one, {@link
 * dht.storage.compaction.Compaction} writes the one that replaces them.
 */
package dht.storage.compaction;
