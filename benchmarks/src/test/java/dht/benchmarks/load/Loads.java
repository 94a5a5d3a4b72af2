package dht.benchmarks.load;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Loads and settings as tests need them: short, and with nothing forgotten. */
final class Loads {
    private Loads() {}

    static WorkloadSettings settings(String... namesAndValues) {
        Map<String, String> environment = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            environment.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return WorkloadSettings.of(environment, 1);
    }

    static LoadOptions options(
            URI url, int threads, int connections, long rate, Duration duration, Duration timeout) {
        return options(List.of(url), threads, connections, rate, duration, timeout);
    }

    static LoadOptions options(
            List<URI> urls,
            int threads,
            int connections,
            long rate,
            Duration duration,
            Duration timeout) {
        return new LoadOptions(
                urls,
                threads,
                connections,
                rate,
                duration,
                timeout,
                Duration.ZERO,
                Duration.ZERO,
                List.of(),
                false);
    }

    static LoadStatistics run(LoadOptions options, Workload workload, WorkloadSettings settings)
            throws IOException, InterruptedException {
        return new LoadRun(options, workload, settings, new Threads(), discard())
                .run()
                .statistics();
    }

    static PrintStream discard() {
        return new PrintStream(new ByteArrayOutputStream(), false, StandardCharsets.UTF_8);
    }
}
