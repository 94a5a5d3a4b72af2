/**
 * Copies of a key on several nodes. {@link dht.replication.Quorum} says how many, and how many must
 * answer; {@link dht.replication.QuorumParameters} reads it from a request. {@link
 * dht.replication.HybridLogicalClock} stamps writes.
 *
 * <p>A replica answers a read with a {@link dht.replication.ReadAnswer}, a write with a {@link
 * dht.replication.WriteAnswer}; {@link dht.replication.ReadRound} and {@link
 * dht.replication.WriteRound} collect the answers of all, with a {@link dht.replication.Tally}, and
 * {@link dht.replication.Newest} of versions, until there is a {@link dht.replication.ReadResult}
 * or a {@link dht.replication.WriteResult}.
 */
package dht.replication;
