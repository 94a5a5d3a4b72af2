/**
 * The workbook's shared suites: what a server promises, checked over HTTP alone, against a server
 * in this JVM, a jar, or any command line.
 *
 * <p>In reading order: {@link dht.testkit.contract} holds the contracts; {@link
 * dht.testkit.ServerUnderTest} is the server as a test sees it, {@link
 * dht.testkit.ClusterUnderTest} a cluster, {@link dht.testkit.Keys} and {@link dht.testkit.Values}
 * what it stores there; {@link dht.testkit.http} speaks HTTP byte for byte; {@link
 * dht.testkit.node} starts and stops servers; {@link dht.testkit.transcript} tells what went wrong;
 * {@link dht.testkit.history} judges what many clients saw; {@link dht.testkit.concurrent} waits
 * and works at once; {@link dht.testkit.junit} ties it to JUnit; {@link dht.testkit.runner} runs a
 * stage's suite against any command line.
 */
package dht.testkit;
