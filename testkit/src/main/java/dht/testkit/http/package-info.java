/**
 * HTTP as a suspicious client speaks it: byte for byte, under deadlines, recorded.
 *
 * <p>In reading order: {@link dht.testkit.http.Target} and {@link dht.testkit.http.Percent} write
 * what is asked for; {@link dht.testkit.http.Request} is what is sent; {@link
 * dht.testkit.http.Connection} sends and receives; {@link dht.testkit.http.Response} is what came,
 * with its checks; {@link dht.testkit.http.NoAnswer} is what comes instead. Below them, {@link
 * dht.testkit.http.Outgoing} and {@link dht.testkit.http.Incoming} move bytes, {@link
 * dht.testkit.http.ResponseHead} and {@link dht.testkit.http.ResponseReader} take answers apart.
 */
package dht.testkit.http;
