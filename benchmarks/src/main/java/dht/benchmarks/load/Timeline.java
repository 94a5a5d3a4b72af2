package dht.benchmarks.load;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * A run second by second, for what changes while it lasts: a node that is killed, a flush. Each
 * thread has its own, and they are added up when the threads have ended. Not thread-safe.
 */
final class Timeline {
    private static final long LATENCY_MICROS_MAX = TimeUnit.HOURS.toMicros(1);
    private static final int SIGNIFICANT_DIGITS = 2;

    private final List<Second> seconds = new ArrayList<>();

    private static final class Second {
        private final Histogram answeredMicros =
                new Histogram(LATENCY_MICROS_MAX, SIGNIFICANT_DIGITS);
        private long errors;

        void add(Second other) {
            answeredMicros.add(other.answeredMicros);
            errors += other.errors;
        }
    }

    /**
     * An answer came.
     *
     * @param sinceStartNanos when
     * @param recordedNanos since the request should have been sent
     */
    void answered(long sinceStartNanos, int status, long recordedNanos) {
        Second second = at(sinceStartNanos);
        if (status >= LoadStatistics.FIRST_ERROR_STATUS) {
            second.errors++;
        } else {
            long micros = TimeUnit.NANOSECONDS.toMicros(recordedNanos);
            second.answeredMicros.recordValue(Math.clamp(micros, 0, LATENCY_MICROS_MAX));
        }
    }

    /** A request failed without an answer, or isn't answered in time. */
    void failed(long sinceStartNanos) {
        at(sinceStartNanos).errors++;
    }

    private Second at(long sinceStartNanos) {
        int number = (int) TimeUnit.NANOSECONDS.toSeconds(sinceStartNanos);
        while (seconds.size() <= number) {
            seconds.add(new Second());
        }
        return seconds.get(number);
    }

    void add(Timeline other) {
        for (int i = 0; i < other.seconds.size(); i++) {
            at(TimeUnit.SECONDS.toNanos(i)).add(other.seconds.get(i));
        }
    }

    /** Replaces the file: a line for each second. Described in docs/reference/load.md. */
    void write(Path file) throws IOException {
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(file))) {
            out.print("second,answered,errors,p50Micros,p99Micros,maxMicros\n");
            for (int i = 0; i < seconds.size(); i++) {
                Histogram micros = seconds.get(i).answeredMicros;
                out.printf(
                        Locale.ROOT,
                        "%d,%d,%d,%d,%d,%d\n",
                        i,
                        micros.getTotalCount(),
                        seconds.get(i).errors,
                        micros.getValueAtPercentile(50),
                        micros.getValueAtPercentile(99),
                        micros.getMaxValue());
            }
            if (out.checkError()) {
                throw new IOException("cannot write " + file);
            }
        }
    }
}
