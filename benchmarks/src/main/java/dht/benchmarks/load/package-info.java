/**
 * The built-in load generator: an open loop, for machines without wrk2, which takes the same
 * options, sends the same requests and prints the same text. Described in docs/reference/load.md.
 *
 * <p>{@link dht.benchmarks.load.Main} is the command line, {@link dht.benchmarks.load.LoadOptions}
 * and {@link dht.benchmarks.load.WorkloadSettings} what it asks for. {@link
 * dht.benchmarks.load.LoadRun} runs {@link dht.benchmarks.load.LoadThread}s, each an {@link
 * dht.benchmarks.load.EventLoop} with {@link dht.benchmarks.load.Connection}s that keep a {@link
 * dht.benchmarks.load.Schedule}. {@link dht.benchmarks.load.RequestSource} makes the requests, from
 * a {@link dht.benchmarks.load.KeySpace} and a {@link dht.benchmarks.load.Distribution}. {@link
 * dht.benchmarks.load.LoadStatistics} counts the answers, {@link dht.benchmarks.load.WrkReport}
 * prints them, {@link dht.benchmarks.load.HistogramFile} records them. {@link
 * dht.benchmarks.load.FillRun} writes all keys once. {@link dht.benchmarks.load.NetworkFloor}
 * measures the floor of the network.
 */
package dht.benchmarks.load;
