/**
 * Thousands of clients that behave badly in the same way: {@link
 * dht.testkit.hostile.HostileClients} keeps the connections of one {@link
 * dht.testkit.hostile.HostileKind} open. {@link dht.testkit.hostile.Main} does the same as a
 * process of its own, for measurements.
 */
package dht.testkit.hostile;
