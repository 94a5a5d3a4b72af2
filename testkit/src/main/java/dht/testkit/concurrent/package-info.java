/**
 * Threads and waiting in tests: {@link dht.testkit.concurrent.Deadline} limits every wait; {@link
 * dht.testkit.concurrent.ClientThreads} runs several clients at the same time; {@link
 * dht.testkit.concurrent.HeldCalls} makes a part of a server as slow as the test needs.
 */
package dht.testkit.concurrent;
