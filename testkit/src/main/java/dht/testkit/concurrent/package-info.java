/**
 * Waiting and working at once: {@link dht.testkit.concurrent.Deadline} ends every wait, {@link
 * dht.testkit.concurrent.ClientThreads} is clients that work at the same time.
 */
package dht.testkit.concurrent;
