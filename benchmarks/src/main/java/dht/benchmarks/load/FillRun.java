package dht.benchmarks.load;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Writes all keys once, and says so. Not thread-safe. */
final class FillRun {
    private static final long PATIENCE_NANOS_MIN = 30_000_000_000L;

    private final LoadOptions options;
    private final WorkloadSettings settings;
    private final Threads threads;
    private final PrintStream out;

    FillRun(LoadOptions options, WorkloadSettings settings, Threads threads, PrintStream out) {
        this.options = options;
        this.settings = settings;
        this.threads = threads;
        this.out = out;
    }

    /**
     * @throws IOException if not all keys could be written
     */
    void run() throws IOException, InterruptedException {
        out.printf(
                Locale.ROOT,
                "Fill: KEYS=%d VALUE_BYTES=%d SEED=%d%n",
                settings.keys().count(),
                settings.valueBytes(),
                settings.seed());
        List<Fill> fills = new ArrayList<>();
        for (int i = 0; i < options.threads(); i++) {
            fills.add(fill(new KeySpace(settings.keys(), i, options.threads())));
        }
        long startNanos = System.nanoTime();
        threads.run(fills.stream().map(fill -> new Threads.Task(fill, fill::stop)).toList());
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        long written = fills.stream().mapToLong(Fill::written).sum();
        out.printf(
                Locale.ROOT,
                "Filled %d keys in %ss: %s/s, %d retries%n",
                written,
                Units.fixed(seconds, 2),
                Units.fixed(written / seconds, 2),
                fills.stream().mapToLong(Fill::retries).sum());
        for (Fill fill : fills) {
            if (fill.failure() != null) {
                throw new IOException("fill: " + fill.failure());
            }
        }
        if (written < settings.keys().count()) {
            throw new IOException("fill: interrupted");
        }
    }

    private Fill fill(KeySpace keys) throws IOException {
        RequestSource requests =
                new RequestSource(Workload.PUT, settings, keys, options.templates(keys.thread()));
        long patienceNanos = Math.max(PATIENCE_NANOS_MIN, options.timeout().toNanos());
        return new Fill(options, requests, keys, patienceNanos, System::nanoTime);
    }
}
