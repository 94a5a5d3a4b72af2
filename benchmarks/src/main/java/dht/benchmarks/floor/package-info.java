/**
 * The floor beneath all figures: servers that answer everything at once and store nothing. What one
 * of them takes is what any server on the same library takes at least. Described in
 * docs/reference/load.md; docs/lab/other-servers.md sets them side by side.
 *
 * <p>{@link dht.benchmarks.floor.BareServer} is the command line, {@link
 * dht.benchmarks.floor.HttpLibrary} what it chooses from, and {@link dht.benchmarks.floor.Answers}
 * what all of them answer. {@link dht.benchmarks.floor.OneNioServer}, {@link
 * dht.benchmarks.floor.NettyServer} with its {@link dht.benchmarks.floor.NettyTransport}s, {@link
 * dht.benchmarks.floor.HelidonServer} and {@link dht.benchmarks.floor.JdkServer} each hold what one
 * library needs, and nothing else. {@link dht.benchmarks.floor.BareCoordinator} is the floor of
 * servers which ask others: {@link dht.benchmarks.floor.Others}.
 */
package dht.benchmarks.floor;
