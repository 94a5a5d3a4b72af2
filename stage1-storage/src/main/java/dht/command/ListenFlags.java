package dht.command;

import dht.http.HttpOptions;
import dht.http.ListenAddress;
import dht.storage.Dao;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import picocli.CommandLine.Option;

/**
 * The command-line options of the HTTP server: its address, and its limits for clients. Not
 * thread-safe.
 */
public final class ListenFlags {
    /** Connections may take three quarters of the file descriptors; the rest is for files. */
    private static final double DESCRIPTOR_SHARE = 0.75;

    /**
     * The memory of all connections that is enough for one body, as a multiple of the size of that
     * body. It is greater than 1, because a quarter of the memory is reserved for small requests.
     */
    private static final double MEMORY_FOR_ONE_BODY = 1.5;

    @Range(from = "0", to = "65535")
    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "8080",
            description = "Port to listen on; 0: any free port.")
    private int port;

    @Option(
            names = "--host",
            paramLabel = "HOST",
            defaultValue = "127.0.0.1",
            description =
                    "Address to listen on. Everybody who can reach it can read and write everything.")
    private String host;

    @Range(from = "0", to = "1024")
    @Option(
            names = "--selectors",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "Threads that read and write the sockets. 0: one for each processor, or half as many "
                            + "if other threads execute the requests.")
    private int selectors;

    @Range(from = "1", to = "1000000")
    @Option(
            names = "--connections-max",
            paramLabel = "N",
            defaultValue = "8192",
            description =
                    "Maximum number of connections; further connections are closed at once. At most three "
                            + "quarters of the file descriptor limit (ulimit -n).")
    private int connectionsMax;

    @Range(from = "4k", to = "1m")
    @Option(
            names = "--head-size-max",
            paramLabel = "SIZE",
            defaultValue = "16k",
            converter = SizeConverter.class,
            description =
                    "Maximum size of request line and headers together. A larger head gets 431; if the "
                            + "request line alone is larger, 400.")
    private long headSizeMax;

    @Range(from = "128k", to = "1024g")
    @Option(
            names = "--connection-memory-max",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description =
                    "Maximum memory of all connections together: requests that are not complete or not "
                            + "answered, answers that clients have not read, and 64 KiB for each range. "
                            + "Beyond it, a request gets 503 or its connection is closed. Beyond half of it, "
                            + "connections whose clients have been slow for longest are closed. "
                            + "Default: a quarter of the heap, but at least what one body needs.")
    private Long connectionMemoryMax;

    @Range(from = "1", to = "100000")
    @Option(
            names = "--ranges-max",
            paramLabel = "N",
            defaultValue = "64",
            description =
                    "Maximum number of ranges that are read at the same time; further ranges get 503. "
                            + "Each range keeps the tables with which it began.")
    private int rangesMax;

    @Range(from = "1ms", to = "24h")
    @Option(
            names = "--idle-timeout",
            paramLabel = "TIME",
            defaultValue = "60s",
            converter = DurationConverter.class,
            description =
                    "A connection without any traffic is closed after this time, but not while the server "
                            + "works on a request of it.")
    private Duration idleTimeout;

    @Range(from = "1ms", to = "24h")
    @Option(
            names = "--head-timeout",
            paramLabel = "TIME",
            defaultValue = "10s",
            converter = DurationConverter.class,
            description =
                    "The head of a request must be complete within this time after its first byte. "
                            + "Otherwise the connection is closed.")
    private Duration headTimeout;

    @Range(from = "0", to = "1g")
    @Option(
            names = "--data-rate-min",
            paramLabel = "SIZE",
            defaultValue = "256",
            converter = SizeConverter.class,
            description =
                    "Minimum rate of an incomplete request or of an answer, in bytes a second. Below it, "
                            + "a body gets 408, and in each case the connection is closed. 0: one byte in "
                            + "--data-rate-window is enough.")
    private long dataRateMin;

    @Range(from = "100ms", to = "24h")
    @Option(
            names = "--data-rate-window",
            paramLabel = "TIME",
            defaultValue = "10s",
            converter = DurationConverter.class,
            description = "The time over which --data-rate-min is measured.")
    private Duration dataRateWindow;

    @Range(from = "0ms", to = "1h")
    @Option(
            names = "--drain-timeout",
            paramLabel = "TIME",
            defaultValue = "5s",
            converter = DurationConverter.class,
            description = "How long a stopping server waits for requests in progress.")
    private Duration drainTimeout;

    /**
     * The address to listen on.
     *
     * @throws IOException if another server listens there, or the host is unknown or not an address
     *     of this machine
     */
    public ListenAddress address() throws IOException {
        return ListenAddress.free(host, port);
    }

    /**
     * The limits of a server whose selectors execute all requests; otherwise as {@link
     * #httpOptions(int)}.
     */
    public HttpOptions httpOptions() {
        return httpOptions(Runtime.getRuntime().availableProcessors());
    }

    /**
     * The limits of a server. If {@code --connections-max} is greater than three quarters of the
     * file descriptor limit, it is lowered to that, without a message.
     *
     * @param selectorCount the number of selectors if no option sets it
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
