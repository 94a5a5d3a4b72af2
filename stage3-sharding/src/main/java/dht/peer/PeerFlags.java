package dht.peer;

import dht.cluster.Topology;
import dht.command.DurationConverter;
import dht.command.Range;
import dht.http.MemoryBudget;
import java.time.Duration;
import picocli.CommandLine.Option;

/**
 * Command-line options: how this node sends requests to other nodes, and how long it waits for
 * answers. Set once by the command line, then read only.
 */
public final class PeerFlags {
    /** Short, because the server has already waited until its own requests were answered. */
    private static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(2);

    private static final long SMALL_ANSWER_BYTES_MAX = 256 << 10;

    @Range(from = "1", to = "1024")
    @Option(
            names = "--peer-connections",
            paramLabel = "N",
            defaultValue = "4",
            description =
                    "Connections to each other node; each has a thread that waits for answers.")
    private int connections;

    @Range(from = "1", to = "1000000")
    @Option(
            names = "--peer-queue-length",
            paramLabel = "N",
            defaultValue = "256",
            description =
                    "Requests that may wait for a connection to a node. A request beyond this limit is not"
                            + " sent. Stage 3: the client gets 503. From stage 4 on: the replica counts as failed.")
    private int queueLength;

    @Range(from = "1ms", to = "1h")
    @Option(
            names = "--peer-connect-timeout",
            paramLabel = "TIME",
            defaultValue = "500ms",
            converter = DurationConverter.class,
            description =
                    "A node that does not accept a connection within this time is unreachable. Stage 3: the"
                            + " client gets 502. From stage 4 on: the replica counts as failed.")
    private Duration connectTimeout;

    @Range(from = "1ms", to = "1h")
    @Option(
            names = "--peer-timeout",
            paramLabel = "TIME",
            defaultValue = "1s",
            converter = DurationConverter.class,
            description =
                    "A node is silent if its answer takes longer than this, plus the same time for each MiB"
                            + " of a large value. Stage 3: the client gets 504. From stage 4 on: the replica"
                            + " counts as failed.")
    private Duration requestTimeout;

    @Range(from = "1", to = "1000000")
    @Option(
            names = "--peer-failures-max",
            paramLabel = "N",
            defaultValue = "3",
            description =
                    "After this number of requests in a row without an answer, no request is sent to this"
                            + " node during --peer-retry-pause. Stage 3: the client gets 502 or 504 at once."
                            + " From stage 4 on: the replica counts as failed at once.")
    private int failuresMax;

    @Range(from = "1ms", to = "24h")
    @Option(
            names = "--peer-retry-pause",
            paramLabel = "TIME",
            defaultValue = "500ms",
            converter = DurationConverter.class,
            description =
                    "How long no request is sent to a node after --peer-failures-max failures. Then one"
                            + " request tests whether the node answers.")
    private Duration retryPause;

    /**
     * Creates the peers: one per other node.
     *
     * @param answerBytesMax the bytes that large values may occupy together while they are sent to
     *     clients
     * @throws IllegalArgumentException if an option is out of its bounds
     */
    public Peers open(Topology topology, Credentials credentials, long answerBytesMax) {
        PeerOptions options = options(topology);
        MemoryBudget answerMemory = answerMemory(answerBytesMax);
        return new Peers(
                topology, credentials, node -> new Peer(node, credentials, options, answerMemory));
    }

    /**
     * The memory limit for all answers that are being sent to clients. In addition to the limit for
     * large answers, there is a reserve of a third of it for small ones. So clients that read large
     * answers slowly don't block small answers.
     *
     * @param largeBytesMax the limit for large answers; a quorum may need several at a time
     */
    public static MemoryBudget answerMemory(long largeBytesMax) {
        return MemoryBudget.withReserve(largeBytesMax + largeBytesMax / 3, SMALL_ANSWER_BYTES_MAX);
    }

    /**
     * The options for each peer.
     *
     * @throws IllegalArgumentException if an option is out of its bounds
     */
    public PeerOptions options(Topology topology) {
        return new PeerOptions(
                connections,
                queueLength,
                connectTimeout,
                requestTimeout,
                failuresMax,
                retryPause,
                DRAIN_TIMEOUT,
                topology.internalPort());
    }
}
