/**
 * Ranges over all nodes of a cluster. {@link dht.range.ClusterRange} serves them. It asks each
 * {@link dht.range.RangeNode} for its {@link dht.range.EntryPage}s, which a {@link
 * dht.range.NodeCursor} reads, as {@link dht.range.RangeEntry}s. A {@link dht.range.ClusterCursor}
 * merges them. It goes on while enough nodes answer. {@link dht.range.NodeQuorum} says how many are
 * enough.
 */
package dht.range;
