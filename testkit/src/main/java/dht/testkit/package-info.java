/**
 * The shared test suites of the workbook: they check over HTTP what a server promises. The server
 * may run in this JVM, from a jar, or by any command line.
 *
 * <p>In reading order: {@link dht.testkit.contract} holds the promises, as tests; {@link
 * dht.testkit.ServerUnderTest} is the server as a test sees it; {@link
 * dht.testkit.ClusterUnderTest} is a cluster; {@link dht.testkit.Keys} and {@link
 * dht.testkit.Values} make what a test stores; {@link dht.testkit.http} sends and reads HTTP byte
 * by byte; {@link dht.testkit.node} starts and stops servers; {@link dht.testkit.transcript}
 * explains a failed test; {@link dht.testkit.history} checks what many clients saw; {@link
 * dht.testkit.concurrent} runs clients at the same time and waits for conditions; {@link
 * dht.testkit.junit} connects all of this to JUnit; {@link dht.testkit.runner} runs a stage's suite
 * against any command line.
 */
package dht.testkit;
