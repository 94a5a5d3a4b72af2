/**
 * Sends several calls to a node in one message. While a message is in flight, a {@link
 * dht.peer.batch.BatchSender} collects calls in a {@link dht.peer.batch.Batcher}. Then it sends
 * them as a {@link dht.peer.batch.Batch}. On the other node, {@code
 * dht.replication.batch.BatchService} answers it.
 */
package dht.peer.batch;
