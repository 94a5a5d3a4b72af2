package dht.benchmarks.wall;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Writes what the threads of one node did inside requests: the stacks of the wall-clock samples
 * that were taken while their thread worked for one of the given requests.
 *
 * <p>The profiler's converter can filter samples by latency ({@code --latency}). It keeps samples
 * within a call of a traced method, or within another interval on one thread, that took long
 * enough. A request is not such an interval: it waits in a queue, where it has no thread, and goes
 * on on other threads and other nodes. A slow request may consist of short intervals. So the server
 * records which threads worked for each request, and this program compares the two recordings.
 *
 * <p>It compares in ticks, which both recordings count equally fast ({@link RecordingClock}). Each
 * converts them to the time of day in its own way, and begins anew from time to time. So times of
 * day may differ by more than a request takes.
 */
public final class RequestSamples {
    private static final String USAGE = "arguments: NUMBERS REQUESTS.jfr WALL.jfr SERVED QUEUED";
    private static final int ARGUMENTS = 5;

    private RequestSamples() {}

    /**
     * @param arguments a file with a request's number on each line; the flight recording of the
     *     node's requests; the profiler's recording of the node; the two files to be written
     */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length != ARGUMENTS) {
            throw new IllegalArgumentException(USAGE);
        }
        Set<Long> numbers =
                Files.readAllLines(Path.of(arguments[0])).stream()
                        .map(Long::valueOf)
                        .collect(Collectors.toUnmodifiableSet());
        NodeWork work = NodeWork.read(Path.of(arguments[1]), numbers);
        Path samples = Path.of(arguments[2]);
        SamplesWithinWork.write(
                samples,
                work.served(),
                WorkByThread.none(work.served().clock()),
                Path.of(arguments[3]));
        SamplesWithinWork.write(samples, work.queued(), work.served(), Path.of(arguments[4]));
    }
}
