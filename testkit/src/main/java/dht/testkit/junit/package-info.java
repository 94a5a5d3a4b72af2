/**
 * The bond between contracts and the test framework.
 *
 * <p>In reading order: {@link dht.testkit.junit.Contract} is the base of every contract, {@link
 * dht.testkit.junit.ClusterContract} of those that take several nodes; {@link
 * dht.testkit.junit.Verifies} names a test's promise, {@link dht.testkit.junit.Needs} what it asks
 * of its server; {@link dht.testkit.junit.ContractExtension} runs a test within its {@link
 * dht.testkit.junit.TestScope}, on the {@link dht.testkit.junit.SharedCluster} of its class; {@link
 * dht.testkit.junit.ContractOrder} sorts the tests. {@link dht.testkit.junit.CapturedErr} and
 * {@link dht.testkit.junit.LongByNature} are for tests of any kind.
 */
package dht.testkit.junit;
