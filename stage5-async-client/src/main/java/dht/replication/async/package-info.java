/**
 * Asks replicas at the same time. A {@link dht.replication.async.ParallelFanOut} runs one {@link
 * dht.replication.async.ParallelWrite} per write and one {@link dht.replication.async.ParallelRead}
 * per read. {@link dht.replication.async.Hedges} decides when a read asks one more replica, by the
 * {@link dht.replication.async.LatencyPercentile} of recent reads; {@link
 * dht.replication.async.HedgeMetrics} publishes its counts. {@link
 * dht.replication.async.FanOutFlags} are the options. {@link dht.replication.async.ReplicaAccess}
 * creates the peers and the fan-out for a {@link dht.replication.async.FanOutKind}.
 */
package dht.replication.async;
