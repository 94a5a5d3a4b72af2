/**
 * What a failed test tells its reader.
 *
 * <p>In reading order: {@link dht.testkit.transcript.Promise} is what servers promise and where
 * that is written; {@link dht.testkit.transcript.Mismatch} is one failed check; {@link
 * dht.testkit.transcript.Transcript} collects what a test asked and got; {@link
 * dht.testkit.transcript.ShellLine} writes a request as a line to type; {@link
 * dht.testkit.transcript.Preview} cuts bytes to size; {@link dht.testkit.transcript.BrokenPromise}
 * carries the whole to the test framework.
 */
package dht.testkit.transcript;
