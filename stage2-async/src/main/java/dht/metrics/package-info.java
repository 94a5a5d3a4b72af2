/**
 * The metrics that a server publishes at {@code GET /metrics}. {@link dht.metrics.ServerMetrics}
 * defines them, {@link dht.metrics.RequestTimes} records how long requests take, and {@link
 * dht.metrics.MetricsEndpoint} answers. They begin in stage 2, the first stage with a queue. Later
 * stages add more.
 */
package dht.metrics;
