package dht.benchmarks.wall;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import one.jfr.JfrReader;
import one.jfr.event.ExecutionSample;

/**
 * When the samples of each thread were taken. While a thread sleeps, the profiler writes one event
 * for many samples. The event has the times of the first and of the last one. The others lie evenly
 * between them, or nearly so on a busy machine.
 *
 * <p>Only the profiler's reader tells times in ticks, and only the reader of the JDK tells the time
 * of the last sample. The events of one thread have the same order for both.
 *
 * <p>Immutable.
 */
final class SampleTimes {
    private static final String EVENT = "profiler.WallClockSample";

    private final Map<Integer, Samples> byThread = new HashMap<>();

    /**
     * The events of one thread, in order of time.
     *
     * @param ticks the first sample of each event
     * @param spanTicks from the first to the last sample
     */
    private record Samples(long[] ticks, long[] spanTicks) {}

    private record Span(Instant start, long nanos) {}

    private SampleTimes() {}

    /**
     * @param recording of the profiler
     */
    static SampleTimes read(Path recording) throws IOException {
        Map<Integer, List<Span>> spans = spans(recording);
        SampleTimes times = new SampleTimes();
        Map<Integer, LongStream.Builder> ticks = new HashMap<>();
        try (JfrReader jfr = new JfrReader(recording.toString())) {
            RecordingClock clock = RecordingClock.of(jfr);
            for (ExecutionSample each; (each = jfr.readEvent(ExecutionSample.class)) != null; ) {
                ticks.computeIfAbsent(each.tid, tid -> LongStream.builder()).add(each.time);
            }
            ticks.forEach(
                    (tid, of) ->
                            times.byThread.put(tid, samples(of.build(), spans.get(tid), clock)));
        }
        return times;
    }

    /** The times in ticks of the samples for which the event stands. */
    LongStream of(ExecutionSample event) {
        Samples of = byThread.get(event.tid);
        long spanTicks = of.spanTicks()[Arrays.binarySearch(of.ticks(), event.time)];
        return LongStream.range(0, event.samples)
                .map(i -> event.time + i * spanTicks / Math.max(1, event.samples - 1));
    }

    private static Samples samples(LongStream ticks, List<Span> spans, RecordingClock clock) {
        long[] spanTicks = spans.stream().mapToLong(each -> clock.ticks(each.nanos())).toArray();
        return new Samples(ticks.sorted().toArray(), spanTicks);
    }

    private static Map<Integer, List<Span>> spans(Path recording) throws IOException {
        Map<Integer, List<Span>> found = new HashMap<>();
        try (RecordingFile file = new RecordingFile(recording)) {
            while (file.hasMoreEvents()) {
                RecordedEvent event = file.readEvent();
                if (event.getEventType().getName().equals(EVENT)) {
                    long tid = event.getThread("sampledThread").getOSThreadId();
                    Span span = new Span(event.getStartTime(), spanNanos(event));
                    found.computeIfAbsent((int) tid, thread -> new ArrayList<>()).add(span);
                }
            }
        }
        found.values().forEach(each -> each.sort(Comparator.comparing(Span::start)));
        return found;
    }

    private static long spanNanos(RecordedEvent event) {
        return event.getDuration("timeSpan").toNanos();
    }
}
