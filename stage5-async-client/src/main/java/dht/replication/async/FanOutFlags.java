package dht.replication.async;

import dht.cluster.Topology;
import dht.command.Range;
import dht.http.HttpOptions;
import dht.http.MemoryBudget;
import dht.peer.Credentials;
import dht.peer.PeerFlags;
import dht.peer.PeerOptions;
import dht.peer.async.PeerExecutorKind;
import dht.peer.batch.Batch;
import dht.peer.blocking.PeerClientKind;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * Command-line options: which client asks the replicas, in which order, and on which threads. Set
 * once by the command line, then read only.
 */
public final class FanOutFlags {
    @Option(
            names = "--peer-client",
            paramLabel = "jdk|one-nio",
            defaultValue = "jdk",
            converter = ClientConverter.class,
            description =
                    "Client for other nodes. jdk: the JDK's HttpClient. one-nio: the client of stage 3, "
                            + "which blocks a thread for each request.")
    private PeerClientKind client;

    @Option(
            names = "--fan-out",
            paramLabel = "async|parallel|sequential",
            defaultValue = "async",
            description =
                    "How the replicas of a key are asked. async: all at the same time, and no thread "
                            + "waits. parallel: all at the same time, and a thread waits for each of them. "
                            + "sequential: one after another, as in stage 4.")
    private FanOutKind fanOut;

    @Range(from = "1", to = "10000")
    @Option(
            names = "--peer-requests-max",
            paramLabel = "N",
            defaultValue = "256",
            description =
                    "With async: requests to a node at the same time; for a further request, the replica "
                            + "counts as failed. Replaces --peer-connections and --peer-queue-length.")
    private int requestsMax;

    @Range(from = "1", to = "" + Batch.SIZE_MAX)
    @Option(
            names = "--peer-batch-max",
            paramLabel = "N",
            defaultValue = "64",
            description =
                    "With async: while a message to a node is under way, at most this number of requests "
                            + "to it are collected for the next message. 1: each request has its own message.")
    private int batchMax;

    @Option(
            names = "--peer-executor",
            paramLabel = "direct|pool",
            defaultValue = "direct",
            description =
                    "With jdk: which threads read answers and continue the requests. direct: the client's "
                            + "own thread. pool: one thread for each processor; each answer changes threads several "
                            + "times.")
    private PeerExecutorKind executor;

    @Range(from = "off", to = "99.9")
    @Option(
            names = "--hedge-percentile",
            paramLabel = "P|off",
            defaultValue = "95",
            converter = PercentileConverter.class,
            description =
                    "A read asks one more replica when an answer takes longer than this percentage of recent"
                            + " answers. This delay is from 1 to 100 ms. On average, at most one read in ten does so."
                            + " off: a read asks one more replica only if one fails. Not with --fan-out sequential.")
    private double hedgePercentile;

    /**
     * Creates the peers and the fan-out.
     *
     * @param http limits the memory for large values that are being passed on to clients
     * @throws IllegalArgumentException if options are out of their bounds, or contradict each other
     */
    public ReplicaAccess open(
            PeerFlags peers, Topology topology, Credentials credentials, HttpOptions http) {
        if (client == PeerClientKind.ONE_NIO && fanOut == FanOutKind.ASYNC) {
            throw new IllegalArgumentException(
                    "--peer-client=one-nio blocks, so it cannot do --fan-out=async: use --fan-out=parallel, or --peer-client=jdk");
        }
        PeerOptions options = peers.options(topology);
        MemoryBudget answerMemory = PeerFlags.answerMemory(http.connectionMemoryBytesMax());
        return ReplicaAccess.open(this, topology, credentials, options, answerMemory);
    }

    PeerClientKind client() {
        return client;
    }

    FanOutKind fanOut() {
        return fanOut;
    }

    int requestsMax() {
        return requestsMax;
    }

    int batchMax() {
        return batchMax;
    }

    PeerExecutorKind executor() {
        return executor;
    }

    /** Empty if reads are not hedged. */
    Optional<Double> hedgePercentile() {
        return hedgePercentile == PercentileConverter.OFF
                ? Optional.empty()
                : Optional.of(hedgePercentile);
    }

    /** Parses names with a hyphen. */
    static final class ClientConverter implements ITypeConverter<PeerClientKind> {
        @Override
        public PeerClientKind convert(String value) {
            return switch (value) {
                case "one-nio" -> PeerClientKind.ONE_NIO;
                case "jdk" -> PeerClientKind.JDK;
                default ->
                        throw new TypeConversionException("'" + value + "' is not jdk or one-nio");
            };
        }
    }

    /**
     * Parses {@code off} as {@link #OFF}, or a number above 0 and below 100. The range of the
     * option excludes numbers above 99.9.
     */
    static final class PercentileConverter implements ITypeConverter<Double> {
        static final double OFF = 0;

        @Override
        public Double convert(String value) {
            if (value.equals("off")) {
                return OFF;
            }
            try {
                double percentile = Double.parseDouble(value);
                if (percentile > 0 && percentile < 100) {
                    return percentile;
                }
            } catch (NumberFormatException e) {
                // Reported below, together with numbers outside the range.
            }
            throw new TypeConversionException(
                    "'" + value + "' must be off, or a number above 0 and at most 99.9");
        }
    }
}
