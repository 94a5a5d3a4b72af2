/**
 * Connects the contracts to JUnit.
 *
 * <p>In reading order: {@link dht.testkit.junit.Contract} is the base of every contract, {@link
 * dht.testkit.junit.ClusterContract} the base of those for several nodes; {@link
 * dht.testkit.junit.Verifies} names the promise that a test checks, {@link dht.testkit.junit.Needs}
 * the ability that it needs from its server; {@link dht.testkit.junit.ContractExtension} runs a
 * test in its {@link dht.testkit.junit.TestScope}, on the {@link dht.testkit.junit.SharedCluster}
 * of its class; {@link dht.testkit.junit.ContractOrder} sorts the tests. {@link
 * dht.testkit.junit.CapturedErr}, {@link dht.testkit.junit.LongByNature} and {@link
 * dht.testkit.junit.Alone} are for tests of any kind.
 */
package dht.testkit.junit;
