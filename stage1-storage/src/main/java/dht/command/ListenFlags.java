package dht.command;

import dht.http.HttpOptions;
import dht.http.ListenAddress;
import dht.storage.Dao;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import picocli.CommandLine.Option;

/** Where the server listens, and what its clients may ask of it. */
public final class ListenFlags {
    /** A connection may take one file descriptor of four; the rest is for files. */
    private static final double DESCRIPTOR_SHARE = 0.75;

    /** In bodies: a part of the memory is not for large ones. */
    private static final double MEMORY_FOR_ONE_BODY = 1.5;

    @Range(from = "0", to = "65535")
    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "8080",
            description = "Port to listen on; 0 for any.")
    private int port;

    @Option(
            names = "--host",
            paramLabel = "HOST",
            defaultValue = "127.0.0.1",
            description = "Address to listen on. Whoever reaches it can read and write everything.")
    private String host;

    @Range(from = "0", to = "1024")
    @Option(
            names = "--selectors",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "Threads that read and write the sockets. 0: one a processor, or half as many where others work on"
                            + " the requests.")
    private int selectors;

    @Range(from = "1", to = "1000000")
    @Option(
            names = "--connections-max",
            paramLabel = "N",
            defaultValue = "8192",
            description = "Further connections are closed at once.")
    private int connectionsMax;

    @Range(from = "4k", to = "1m")
    @Option(
            names = "--head-size-max",
            paramLabel = "SIZE",
            defaultValue = "16k",
            converter = SizeConverter.class,
            description =
                    "Request line and headers together; beyond it 431, or 400 if it is the line.")
    private long headSizeMax;

    @Range(from = "64k", to = "1024g")
    @Option(
            names = "--connection-memory-max",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description =
                    "What all connections may hold together: requests that are not complete or not answered, answers that"
                            + " are not read. Beyond it 503, and those that have moved nothing for longest are"
                            + " closed. Default: a quarter of the heap, and at least what one body needs.")
    private Long connectionMemoryMax;

    @Range(from = "1", to = "100000")
    @Option(
            names = "--ranges-max",
            paramLabel = "N",
            defaultValue = "64",
            description =
                    "Ranges read at the same time, since each holds on to the tables it began with; beyond it 503.")
    private int rangesMax;

    @Range(from = "1ms", to = "24h")
    @Option(
            names = "--idle-timeout",
            paramLabel = "TIME",
            defaultValue = "60s",
            converter = DurationConverter.class,
            description = "A connection on which nothing moves for so long is closed.")
    private Duration idleTimeout;

    @Range(from = "1ms", to = "24h")
    @Option(
            names = "--head-timeout",
            paramLabel = "TIME",
            defaultValue = "10s",
            converter = DurationConverter.class,
            description = "The head of a request must be complete so long after its first byte.")
    private Duration headTimeout;

    @Range(from = "0", to = "1g")
    @Option(
            names = "--data-rate-min",
            paramLabel = "SIZE",
            defaultValue = "256",
            converter = SizeConverter.class,
            description =
                    "Bytes a second that a body or an answer must move; 408 for a body that is slower, and the connection of an"
                            + " answer that is slower is closed.")
    private long dataRateMin;

    @Range(from = "100ms", to = "24h")
    @Option(
            names = "--data-rate-window",
            paramLabel = "TIME",
            defaultValue = "10s",
            converter = DurationConverter.class,
            description = "The time over which that is measured.")
    private Duration dataRateWindow;

    @Range(from = "0ms", to = "1h")
    @Option(
            names = "--drain-timeout",
            paramLabel = "TIME",
            defaultValue = "5s",
            converter = DurationConverter.class,
            description = "How long a server that stops waits for answers in flight.")
    private Duration drainTimeout;

    /**
     * @throws IOException if somebody else listens there
     */
    public ListenAddress address() throws IOException {
        return ListenAddress.free(host, port);
    }

    /** For a server whose selectors do all the work. */
    public HttpOptions httpOptions() {
        return httpOptions(Runtime.getRuntime().availableProcessors());
    }

    /**
     * @param selectorCount if the options don't say
     */
    public HttpOptions httpOptions(int selectorCount) {
        long connectionMemory =
                connectionMemoryMax != null
                        ? connectionMemoryMax
                        : Math.max(
                                (long) (MEMORY_FOR_ONE_BODY * Dao.MAX_VALUE_BYTES),
                                Runtime.getRuntime().maxMemory() / 4);
        return new HttpOptions(
                selectors == 0 ? selectorCount : selectors,
                (int) Math.min(connectionsMax, descriptorsMax() * DESCRIPTOR_SHARE),
                Math.toIntExact(headSizeMax),
                100,
                Dao.MAX_VALUE_BYTES,
                connectionMemory,
                rangesMax,
                idleTimeout,
                headTimeout,
                dataRateMin,
                dataRateWindow,
                drainTimeout);
    }

    private static long descriptorsMax() {
        return ManagementFactory.getOperatingSystemMXBean()
                        instanceof com.sun.management.UnixOperatingSystemMXBean system
                ? system.getMaxFileDescriptorCount()
                : Integer.MAX_VALUE;
    }
}
