package dht.benchmarks.load;

import dht.command.StageCommand;
import java.io.IOException;
import java.io.PrintStream;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Loads a server at a constant rate, and measures from when each request should have been sent.
 * Takes the options of wrk2 and prints its text; described in docs/reference/load.md.
 */
@Command(
        name = "workbook-load",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description = "Loads a key-value server at a constant rate (open loop).",
        footer =
                "KEYS, VALUE_BYTES, DISTRIBUTION, SPREAD and others are taken from the environment.")
public final class Main implements Callable<Integer> {
    @Option(
            names = {"-t", "--threads"},
            paramLabel = "N",
            defaultValue = "2",
            converter = UnitConverters.Metric.class,
            description = "Threads, each with its own part of the keys.")
    private long threads;

    @Option(
            names = {"-c", "--connections"},
            paramLabel = "N",
            defaultValue = "10",
            converter = UnitConverters.Metric.class,
            description = "Connections of all threads together.")
    private long connections;

    @Option(
            names = {"-d", "--duration"},
            paramLabel = "TIME",
            defaultValue = "10s",
            converter = UnitConverters.Time.class,
            description = "How long to send: 30s, 2m, 1h.")
    private Duration duration;

    @Option(
            names = {"-R", "--rate"},
            paramLabel = "N",
            converter = UnitConverters.Metric.class,
            description = "Requests a second of all connections together. Required.")
    private Long rate;

    @Option(
            names = {"-s", "--script"},
            paramLabel = "WORKLOAD",
            description = "put, get, mixed, status or range, or such a script. Required.")
    private String workload;

    @Option(
            names = {"-L", "--latency"},
            description = "Print the latency distribution.")
    private boolean latency;

    @Option(
            names = {"-U", "--u_latency"},
            description = "Print it also as measured from the moments of sending.")
    private boolean uncorrected;

    @Option(
            names = {"-T", "--timeout"},
            paramLabel = "TIME",
            defaultValue = "2s",
            converter = UnitConverters.Time.class,
            description = "A request that takes longer is counted.")
    private Duration timeout;

    @Option(
            names = {"-H", "--header"},
            paramLabel = "NAME: VALUE",
            description = "A header line to add to each request.")
    private List<String> headers = List.of();

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            defaultValue = "3s",
            converter = UnitConverters.Time.class,
            description = "How long to send before the run, of which nothing is counted.")
    private Duration warmup;

    @Option(
            names = "--start-at",
            paramLabel = "MILLIS",
            description = "Send nothing before this moment, in milliseconds since 1970.")
    private Long startAtMillis;

    @Option(
            names = "--calibration",
            paramLabel = "TIME",
            defaultValue = "10s",
            converter = UnitConverters.Time.class,
            description = "When to forget the latencies so far; 0s for never.")
    private Duration calibration;

    @Option(names = "--record", paramLabel = "FILE", description = "Write the latencies as CSV.")
    private Path record;

    @Option(
            names = "--timeline",
            paramLabel = "FILE",
            description = "Write rate, errors and latencies of each second as CSV.")
    private Path timeline;

    @Option(
            names = "--fill",
            description = "Write all keys once, as fast as they are taken, and end.")
    private boolean fill;

    @Parameters(
            paramLabel = "URL",
            description = "The server: http://HOST:PORT. SPREAD lists several.")
    private URI url;

    private final PrintStream out = System.out;
    private final Threads running = new Threads();

    public static void main(String[] args) {
        StageCommand.main(new Main(), args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Map<String, String> environment = System.getenv();
        LoadOptions options = options(environment);
        WorkloadSettings settings = WorkloadSettings.of(environment, options.threads());
        Workload kind = fill ? Workload.PUT : Workload.of(workload);
        checkThatSomebodyListens(options);
        WrkReport.printTool(out);
        try (Interruption interruption = new Interruption(running)) {
            if (fill) {
                new FillRun(options, settings, running, out).run();
            } else {
                load(options, kind, settings);
            }
            return interruption.exitCode();
        }
    }

    private void load(LoadOptions options, Workload kind, WorkloadSettings settings)
            throws IOException, InterruptedException {
        out.printf(Locale.ROOT, "Workload: %s %s%n", kind, settings);
        if (startAtMillis != null) {
            running.awaitMillis(startAtMillis);
        }
        LoadRun.Result result = new LoadRun(options, kind, settings, running, out).run();
        new WrkReport(options, kind, out).print(result, latency || uncorrected, uncorrected);
        if (record != null) {
            HistogramFile.write(record, result.statistics());
        }
        if (timeline != null) {
            result.timeline().write(timeline);
        }
    }

    /**
     * @throws IllegalArgumentException if they contradict each other
     */
    LoadOptions options(Map<String, String> environment) {
        if (!fill && (rate == null || workload == null)) {
            throw new IllegalArgumentException("--rate and --script are required");
        }
        return new LoadOptions(
                fill ? List.of(url) : LoadOptions.servers(url, environment),
                Math.toIntExact(threads),
                Math.toIntExact(connections),
                fill ? 1 : rate,
                duration,
                timeout,
                warmup,
                calibration,
                headers,
                timeline != null);
    }

    private static void checkThatSomebodyListens(LoadOptions options) throws IOException {
        for (URI server : options.urls()) {
            try (Socket socket = new Socket()) {
                socket.connect(
                        LoadOptions.address(server), Math.toIntExact(options.timeout().toMillis()));
            } catch (IOException e) {
                throw new IOException(
                        "unable to connect to " + server.getAuthority() + ": " + e.getMessage(), e);
            }
        }
    }
}
