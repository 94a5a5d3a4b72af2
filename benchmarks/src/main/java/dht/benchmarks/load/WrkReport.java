package dht.benchmarks.load;

import java.io.PrintStream;
import java.util.Locale;
import java.util.function.DoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * The report of a load, in the words of wrk2, so that one parser reads both; and after it what wrk2
 * doesn't say. Described in docs/reference/load.md.
 */
final class WrkReport {
    private static final double NANOS_PER_MICRO = 1e3;
    private static final double NANOS_PER_SECOND = 1e9;

    private final LoadOptions options;
    private final Workload workload;
    private final PrintStream out;

    WrkReport(LoadOptions options, Workload workload, PrintStream out) {
        this.options = options;
        this.workload = workload;
        this.out = out;
    }

    /** Which tool this is: what wrk2 doesn't print. */
    static void printTool(PrintStream out) {
        out.printf(Locale.ROOT, "workbook-load 1.0 (Java %s)%n", Runtime.version());
    }

    static void printHead(LoadOptions options, PrintStream out) {
        out.printf(
                Locale.ROOT,
                "Running %s test @ %s%n",
                Units.seconds(options.duration().toMillis() / 1000.0),
                options.urls().getFirst());
        out.printf(
                Locale.ROOT,
                "  %d threads and %d connections%n",
                options.threads(),
                options.connections());
    }

    /** Everything after the calibration. */
    void print(LoadRun.Result result, boolean latency, boolean uncorrected) {
        LoadStatistics statistics = result.statistics();
        printThreadStats(statistics);
        if (latency) {
            HistogramText.print(statistics.recordedMicros(), "Recorded Latency", out);
        }
        if (uncorrected) {
            out.println();
            HistogramText.print(
                    statistics.uncorrectedMicros(),
                    "Uncorrected Latency (measured without taking delayed starts into account)",
                    out);
        }
        printTotals(statistics, result.elapsedNanos());
        printAnswers(statistics);
    }

    private void printThreadStats(LoadStatistics statistics) {
        out.printf(
                Locale.ROOT, "  Thread Stats%6s%11s%8s%12s%n", "Avg", "Stdev", "Max", "+/- Stdev");
        printThreadStat("Latency", statistics.recordedMicros(), Units::micros);
        printThreadStat("Req/Sec", statistics.ratesPerSecond(), Units::metric);
    }

    private void printThreadStat(String name, Histogram histogram, DoubleFunction<String> unit) {
        double mean = HistogramText.mean(histogram);
        double deviation = HistogramText.deviation(histogram);
        out.printf(
                Locale.ROOT,
                "    %-10s%s%s%s%8s%%%n",
                name,
                HistogramText.padded(unit.apply(mean), 8),
                HistogramText.padded(unit.apply(deviation), 10),
                HistogramText.padded(unit.apply(HistogramText.max(histogram)), 9),
                Units.fixed(100 * shareWithin(histogram, mean, deviation), 2));
    }

    private static double shareWithin(Histogram histogram, double mean, double deviation) {
        if (histogram.getTotalCount() == 0) {
            return 0;
        }
        long low = (long) Math.max(0, mean - deviation);
        long high = (long) Math.min(mean + deviation, histogram.getMaxValue());
        return (double) histogram.getCountBetweenValues(low, high) / histogram.getTotalCount();
    }

    private void printTotals(LoadStatistics statistics, long elapsedNanos) {
        double seconds = elapsedNanos / NANOS_PER_SECOND;
        out.printf(
                Locale.ROOT,
                "  %d requests in %s, %sB read%n",
                statistics.requests(),
                Units.micros(elapsedNanos / NANOS_PER_MICRO),
                Units.binary(statistics.receivedBytes()));
        if (statistics.connectErrors()
                        + statistics.readErrors()
                        + statistics.writeErrors()
                        + statistics.timeouts()
                > 0) {
            out.printf(
                    Locale.ROOT,
                    "  Socket errors: connect %d, read %d, write %d, timeout %d%n",
                    statistics.connectErrors(),
                    statistics.readErrors(),
                    statistics.writeErrors(),
                    statistics.timeouts());
        }
        if (statistics.errorStatuses() > 0) {
            out.printf(Locale.ROOT, "  Non-2xx or 3xx responses: %d%n", statistics.errorStatuses());
        }
        out.printf(
                Locale.ROOT,
                "Requests/sec: %9s%n",
                Units.fixed(statistics.requests() / seconds, 2));
        out.printf(
                Locale.ROOT,
                "Transfer/sec: %10sB%n",
                Units.binary(statistics.receivedBytes() / seconds));
    }

    /**
     * Without errors: where many are refused, which is quickly done, the rest is lost among them.
     */
    private void printAccepted(Histogram micros) {
        out.printf(
                "Accepted, from sending: 50%%=%s 99%%=%s 99.9%%=%s max=%s%n",
                Units.micros(micros.getValueAtPercentile(50)),
                Units.micros(micros.getValueAtPercentile(99)),
                Units.micros(micros.getValueAtPercentile(99.9)),
                Units.micros(HistogramText.max(micros)));
    }

    private void printAnswers(LoadStatistics statistics) {
        String statuses =
                IntStream.of(statistics.statusesSeen())
                        .mapToObj(status -> " " + status + "=" + statistics.count(status))
                        .collect(Collectors.joining());
        out.println("Statuses:" + (statuses.isEmpty() ? " none" : statuses));
        printAccepted(statistics.acceptedMicros());
        if (workload.hasHits()) {
            out.printf(Locale.ROOT, "Misses asked: %d%n", statistics.missesAsked());
            out.printf(
                    Locale.ROOT,
                    "Hit ratio: %s (%d of %d GETs)%n",
                    Units.fixed((double) statistics.hits() / statistics.lookups(), 4),
                    statistics.hits(),
                    statistics.lookups());
        }
        out.printf(Locale.ROOT, "In flight at the end: %d%n", statistics.inFlight());
    }
}
