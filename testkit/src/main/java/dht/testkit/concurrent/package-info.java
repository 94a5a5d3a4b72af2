/**
 * Threads and waiting in tests: {@link dht.testkit.concurrent.Deadline} limits every wait; {@link
 * dht.testkit.concurrent.ClientThreads} runs several clients at the same time.
 */
package dht.testkit.concurrent;
