/**
 * Wall-clock samples of a server, as far as they were taken inside requests. {@link
 * dht.benchmarks.wall.RequestSamples} is the command. It reads {@link
 * dht.benchmarks.wall.RecordedWork} from the recording of the requests, keeps it by thread as
 * {@link dht.benchmarks.wall.NodeWork}, and lets {@link dht.benchmarks.wall.SamplesWithinWork}
 * choose samples from the recording of the profiler. Described in docs/lab.md.
 */
package dht.benchmarks.wall;
