/**
 * Copies of a key on several nodes. {@link dht.replication.ReplicatedEntityService} coordinates:
 * with the {@link dht.replication.Quorum} that {@link dht.replication.QuorumParameters} reads from
 * a request, through a {@link dht.replication.FanOut}. That is a {@link
 * dht.replication.SequentialFanOut}, which makes a {@link dht.replication.SequentialRead} or a
 * {@link dht.replication.SequentialWrite} of it. What it has for that is {@link
 * dht.replication.CoordinatorContext}: writes are stamped by the {@link
 * dht.replication.HybridLogicalClock}, those that go on after their answer are {@link
 * dht.replication.LateWrites}, and all is counted in {@link dht.replication.ReplicationCounts},
 * which {@link dht.replication.ReplicationMetrics} tells.
 *
 * <p>The {@link dht.replication.Holders} of a key are replicas. A {@link dht.replication.Replica}
 * is the {@link dht.replication.LocalReplica} or a {@link dht.replication.PeerReplica}, whose other
 * end is the {@link dht.replication.ReplicaService}. It answers a read with a {@link
 * dht.replication.ReadAnswer}, a write with a {@link dht.replication.WriteAnswer}; {@link
 * dht.replication.ReadRound} and {@link dht.replication.WriteRound} collect the answers of all,
 * with a {@link dht.replication.AckCounter}, and {@link dht.replication.VersionOrder} of versions,
 * until there is a {@link dht.replication.ReadResult} or a {@link dht.replication.WriteResult}; of
 * each {@link dht.replication.ReplicaFailure} a {@link dht.replication.QuorumFailure} tells. {@link
 * dht.replication.ReplicationFlags} are the options.
 *
 * <p>Of a read without {@link dht.replication.Agreement} and of a write that a replica has missed,
 * {@link dht.replication.Healing} is told.
 */
package dht.replication;
