package dht.benchmarks.load;

import java.io.PrintStream;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/** A histogram of microseconds, printed as wrk2 and HdrHistogram in C do. */
final class HistogramText {
    private static final double[] PERCENTILES = {
        50, 75, 90, 99, 99.9, 99.99, 99.999, 100,
    };
    private static final int TICKS_PER_HALF_DISTANCE = 5;
    private static final double MICROS_PER_MILLI = 1000;

    /** How a histogram up to a day of microseconds, with three digits, is laid out. */
    private static final int BUCKETS = 27;

    private static final int SUB_BUCKETS = 2048;

    private HistogramText() {}

    /** Distribution, detailed percentile spectrum, and the line below them. */
    static void print(Histogram histogram, String title, PrintStream out) {
        out.printf(Locale.ROOT, "  Latency Distribution (HdrHistogram - %s)%n", title);
        for (double percentile : PERCENTILES) {
            out.printf(
                    Locale.ROOT,
                    "%7.3f%%%s%n",
                    percentile,
                    padded(Units.micros(histogram.getValueAtPercentile(percentile)), 10));
        }
        out.printf(Locale.ROOT, "%n  Detailed Percentile spectrum:%n");
        out.printf(
                Locale.ROOT,
                "%12s %12s %12s %12s%n%n",
                "Value",
                "Percentile",
                "TotalCount",
                "1/(1-Percentile)");
        for (HistogramIterationValue step : histogram.percentiles(TICKS_PER_HALF_DISTANCE)) {
            double percentile = step.getPercentileLevelIteratedTo() / 100;
            out.printf(
                    Locale.ROOT,
                    "%12.3f %12s %12d %12s%n",
                    step.getValueIteratedTo() / MICROS_PER_MILLI,
                    Units.fixed(percentile, 6),
                    step.getTotalCountToThisValue(),
                    Units.fixed(1 / (1 - percentile), 2));
        }
        out.printf(
                Locale.ROOT,
                "#[Mean    = %12s, StdDeviation   = %12s]%n",
                Units.fixed(mean(histogram) / MICROS_PER_MILLI, 3),
                Units.fixed(deviation(histogram) / MICROS_PER_MILLI, 3));
        out.printf(
                Locale.ROOT,
                "#[Max     = %12.3f, Total count    = %12d]%n",
                max(histogram) / MICROS_PER_MILLI,
                histogram.getTotalCount());
        out.printf(Locale.ROOT, "#[Buckets = %12d, SubBuckets     = %12d]%n", BUCKETS, SUB_BUCKETS);
        out.println("----------------------------------------------------------");
    }

    static double mean(Histogram histogram) {
        return histogram.getTotalCount() == 0 ? Double.NaN : histogram.getMean();
    }

    static double deviation(Histogram histogram) {
        return histogram.getTotalCount() == 0 ? Double.NaN : histogram.getStdDeviation();
    }

    static long max(Histogram histogram) {
        return histogram.lowestEquivalentValue(histogram.getMaxValue());
    }

    /**
     * Right-aligned in so many columns, as if each unit had two letters: so the digits stand below
     * each other.
     */
    static String padded(String text, int width) {
        int padding = 2;
        padding -= Character.isLetter(text.charAt(text.length() - 1)) ? 1 : 0;
        padding -= Character.isLetter(text.charAt(text.length() - 2)) ? 1 : 0;
        return ("%" + (width - padding) + "s%s").formatted(text, " ".repeat(padding));
    }
}
