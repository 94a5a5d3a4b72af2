/**
 * Answers several requests of another coordinator at once: {@link
 * dht.replication.batch.BatchService}, the other end of {@link dht.peer.batch}.
 */
package dht.replication.batch;
