/**
 * Lets several calls to a node share a message. A {@link dht.peer.batch.BatchSender} collects calls
 * in a {@link dht.peer.batch.Batcher} while a message is under way, and writes a {@link
 * dht.peer.batch.Batch} of them. The other end is {@code dht.replication.batch.BatchService}.
 */
package dht.peer.batch;
