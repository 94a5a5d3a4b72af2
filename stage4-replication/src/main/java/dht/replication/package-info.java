/**
 * Copies of a key on several nodes. {@link dht.replication.ReplicatedEntityService} is the
 * coordinator. {@link dht.replication.QuorumParameters} reads the {@link dht.replication.Quorum}
 * from a request, and a {@link dht.replication.FanOut} asks the replicas. In stage 4 this is the
 * {@link dht.replication.SequentialFanOut}, which runs one {@link dht.replication.SequentialRead}
 * or {@link dht.replication.SequentialWrite} per request. They share the {@link
 * dht.replication.CoordinatorContext}. Its {@link dht.replication.HybridLogicalClock} stamps
 * writes. Its {@link dht.replication.RemainingCopies} counts writes that continue after their
 * answer. Its {@link dht.replication.ReplicationCounts} counts outcomes, which {@link
 * dht.replication.ReplicationMetrics} publishes.
 *
 * <p>{@link dht.replication.Holders} finds the replicas of a key. A {@link dht.replication.Replica}
 * is the {@link dht.replication.LocalReplica} or a {@link dht.replication.PeerReplica}. On the
 * other node, {@link dht.replication.ReplicaService} serves the requests of a {@code PeerReplica}.
 * A {@link dht.replication.PlacementRecord} says how many nodes hold a version. A replica answers a
 * read with a {@link dht.replication.ReadAnswer} and a write with a {@link
 * dht.replication.WriteAnswer}. {@link dht.replication.ReadRound} and {@link
 * dht.replication.WriteRound} collect these answers; an {@link dht.replication.AckCounter} counts
 * them, and {@link dht.replication.VersionOrder} compares versions. The outcome is a {@link
 * dht.replication.ReadResult} or a {@link dht.replication.WriteResult}. A {@link
 * dht.replication.QuorumFailure} lists each {@link dht.replication.ReplicaFailure}. {@link
 * dht.replication.ReplicationFlags} are the options.
 *
 * <p>For an atomic register ({@link dht.replication.RegisterKind}, {@link
 * dht.replication.RegisterParameter}), a {@link dht.replication.Confirmation} finds out whether a
 * read needs a {@link dht.replication.WriteBack}, and a write begins with a {@link
 * dht.replication.StampQuery}. Both ask replicas with a {@link dht.replication.Poll}.
 *
 * <p>{@link dht.replication.Healing} is notified of a write that a replica has missed, and of a
 * read whose replicas have answered different versions, which {@link dht.replication.Agreement}
 * detects.
 */
package dht.replication;
