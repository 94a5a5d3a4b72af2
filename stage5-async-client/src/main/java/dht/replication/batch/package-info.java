/**
 * Answers messages with several requests from other coordinators: {@link
 * dht.replication.batch.BatchService}. The messages come from {@link dht.peer.batch}.
 */
package dht.replication.batch;
