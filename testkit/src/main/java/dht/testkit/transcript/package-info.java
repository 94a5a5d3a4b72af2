/**
 * Explains a failed test to its reader.
 *
 * <p>In reading order: {@link dht.testkit.transcript.Promise} is one promise of a server, and the
 * page that explains it; {@link dht.testkit.transcript.Mismatch} is one failed check; {@link
 * dht.testkit.transcript.Transcript} records the requests and answers of a test; {@link
 * dht.testkit.transcript.ShellLine} writes a request as a shell command; {@link
 * dht.testkit.transcript.Preview} shortens bytes; {@link dht.testkit.transcript.BrokenPromise} is
 * the failure that JUnit reports.
 */
package dht.testkit.transcript;
