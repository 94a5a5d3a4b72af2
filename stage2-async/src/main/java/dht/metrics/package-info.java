/**
 * What a server tells about itself at {@code GET /metrics}. {@link dht.metrics.ServerMetrics} knows
 * where every figure comes from, {@link dht.metrics.RequestTimes} takes down how long requests
 * take, {@link dht.metrics.MetricsEndpoint} answers. A room of stage 2, since that is the first to
 * have a queue worth watching; every later stage has it too, and adds its own.
 */
package dht.metrics;
