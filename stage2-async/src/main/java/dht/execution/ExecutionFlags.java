package dht.execution;

import dht.command.DurationConverter;
import dht.command.Range;
import java.time.Duration;
import picocli.CommandLine.Option;

/**
 * The command-line options of the executor: which threads execute requests, and how long requests
 * may wait for them. Not thread-safe.
 */
public final class ExecutionFlags {
    /**
     * The HTTP server stops before the executor, and waits for requests in progress. So few tasks
     * are left then.
     */
    private static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(2);

    @Option(
            names = "--executor",
            paramLabel = "fifo|lifo|virtual|inline",
            defaultValue = "fifo",
            description =
                    "Which thread executes requests. fifo: workers, the oldest request first. lifo: "
                            + "workers, the newest request first while many are waiting. virtual: a virtual thread "
                            + "for each request. inline: the thread that has read the request, as in stage 1; "
                            + "not in stage 5.")
    private ExecutorKind executor;

    @Range(from = "0", to = "4096")
    @Option(
            names = "--workers",
            paramLabel = "N",
            defaultValue = "0",
            description = "Number of worker threads; 0: one for each processor.")
    private int workers;

    @Range(from = "1", to = "1000000")
    @Option(
            names = "--queue-length",
            paramLabel = "N",
            defaultValue = "1024",
            description =
                    "Requests that may wait for a worker. Beyond that, the newest request gets 503, or the "
                            + "oldest with lifo. More: fewer rejections in a burst, but longer waits under "
                            + "overload.")
    private int queueLength;

    @Range(from = "1ms", to = "1h")
    @Option(
            names = "--queue-deadline",
            paramLabel = "TIME",
            defaultValue = "500ms",
            converter = DurationConverter.class,
            description =
                    "A request that has waited longer than this when its turn comes gets 503: its client "
                            + "may have given up.")
    private Duration queueDeadline;

    /**
     * @throws IllegalArgumentException if an option is out of its bounds
     */
    ExecutionOptions executionOptions() {
        int workerCount = workers == 0 ? Runtime.getRuntime().availableProcessors() : workers;
        return new ExecutionOptions(
                executor, workerCount, queueLength, queueDeadline, DRAIN_TIMEOUT);
    }

    /**
     * The default number of selectors for the executor. If selectors execute the requests, there is
     * one for each processor. If they hand requests over, there are half as many, but at least one.
     * With more selectors, a selector would often wake up for a single request. That would take
     * processor time from the workers.
     */
    public int selectorCount() {
        int processorCount = Runtime.getRuntime().availableProcessors();
        return executor == ExecutorKind.INLINE ? processorCount : Math.max(1, processorCount / 2);
    }

    /**
     * Checks that the executor suits a server that continues requests on the threads that receive
     * the answers of other nodes.
     *
     * @throws IllegalArgumentException if the executor executes requests on the calling thread
     */
    public void refuseInline() {
        if (executor == ExecutorKind.INLINE) {
            throw new IllegalArgumentException(
                    "--executor=inline is not possible in stage 5: the thread that reads the"
                            + " answers of other nodes would wait for this node's storage: use"
                            + " --executor=fifo, lifo or virtual");
        }
    }

    /**
     * Starts the executor that the options select.
     *
     * @throws IllegalArgumentException if an option is out of bounds
     */
    public CountedExecutor openExecutor() {
        return executor.open("worker", executionOptions(), System::nanoTime);
    }
}
