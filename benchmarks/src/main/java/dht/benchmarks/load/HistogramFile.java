package dht.benchmarks.load;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/** The latencies of a run as CSV: a line for each value. Described in docs/reference/load.md. */
final class HistogramFile {
    private HistogramFile() {}

    /** Replaces the file. */
    static void write(Path file, LoadStatistics statistics) throws IOException {
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(file))) {
            out.print("latency,valueMicros,count,totalCount,percentile\n");
            write("recorded", statistics.recordedMicros(), out);
            write("uncorrected", statistics.uncorrectedMicros(), out);
            if (out.checkError()) {
                throw new IOException("cannot write " + file);
            }
        }
    }

    private static void write(String name, Histogram histogram, PrintWriter out) {
        for (HistogramIterationValue step : histogram.recordedValues()) {
            out.printf(
                    Locale.ROOT,
                    "%s,%d,%d,%d,%.6f\n",
                    name,
                    step.getValueIteratedTo(),
                    step.getCountAtValueIteratedTo(),
                    step.getTotalCountToThisValue(),
                    step.getPercentile());
        }
    }
}
