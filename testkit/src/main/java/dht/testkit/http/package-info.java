/**
 * A strict HTTP client for tests: it controls every byte, limits every wait, and records every
 * exchange.
 *
 * <p>In reading order: {@link dht.testkit.http.Target} and {@link dht.testkit.http.Percent} write
 * request targets; {@link dht.testkit.http.Request} is what is sent; {@link
 * dht.testkit.http.Connection} sends and receives; {@link dht.testkit.http.Response} is the answer,
 * with its checks; {@link dht.testkit.http.NoAnswer} is the failure if no answer comes. Internally,
 * {@link dht.testkit.http.Outgoing} and {@link dht.testkit.http.Incoming} write and read bytes, and
 * {@link dht.testkit.http.ResponseHead} and {@link dht.testkit.http.ResponseReader} parse answers.
 */
package dht.testkit.http;
