/**
 * Asks all replicas at once. A {@link dht.replication.async.ParallelFanOut} makes a {@link
 * dht.replication.async.ParallelWrite} of a write, a {@link dht.replication.async.ParallelRead} of
 * a read; that is hedged by {@link dht.replication.async.Hedges}, with the {@link
 * dht.replication.async.LatencyPercentile} of recent reads, and {@link
 * dht.replication.async.HedgeMetrics}. {@link dht.replication.async.FanOutFlags} are the options;
 * what a {@link dht.replication.async.FanOutKind} needs is put together by {@link
 * dht.replication.async.ReplicaAccess}.
 */
package dht.replication.async;
