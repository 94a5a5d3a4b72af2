package dht.execution;

import dht.command.DurationConverter;
import dht.command.Range;
import java.time.Duration;
import picocli.CommandLine.Option;

/** Which threads work on requests, and how long these wait for them. */
public final class ExecutionFlags {
    /** After the server has drained there is little left to wait for. */
    private static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(2);

    @Option(
            names = "--executor",
            paramLabel = "fifo|lifo|virtual|inline",
            defaultValue = "fifo",
            description =
                    "Which thread executes requests. fifo: workers, the oldest request first. lifo: "
                            + "workers, the newest request first while many are waiting. virtual: a virtual thread "
                            + "for each request. inline: the thread that read the request, as in stage 1.")
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
                    "Requests that may wait for a worker; further requests get 503. More: fewer rejections "
                            + "in a burst, but longer waits under overload.")
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
     * How many selectors suit the executor, if nobody says: one a processor where they do the work
     * themselves, half as many, but at least one, where they hand it over. As many as that would
     * take processors from the workers for a request at a time.
     */
    public int selectorCount() {
        int processorCount = Runtime.getRuntime().availableProcessors();
        return executor == ExecutorKind.INLINE ? processorCount : Math.max(1, processorCount / 2);
    }

    /**
     * For a server that works on requests where the answers of other nodes come in.
     *
     * @throws IllegalArgumentException if the work would be done there, in place
     */
    public void refuseInline() {
        if (executor == ExecutorKind.INLINE) {
            throw new IllegalArgumentException(
                    "--executor=inline would have the client of other nodes wait for this node's storage: use"
                            + " --executor=fifo, lifo or virtual");
        }
    }

    /**
     * Starts the executor that the options ask for.
     *
     * @throws IllegalArgumentException if an option is out of its bounds
     */
    public CountedExecutor openExecutor() {
        return executor.open("worker", executionOptions(), System::nanoTime);
    }
}
