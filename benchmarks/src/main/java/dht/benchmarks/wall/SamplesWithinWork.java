package dht.benchmarks.wall;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import one.convert.Arguments;
import one.convert.JfrToFlame;
import one.jfr.JfrReader;
import one.jfr.event.Event;
import one.jfr.event.EventAggregator;
import one.jfr.event.EventCollector;
import one.jfr.event.ExecutionSample;

/**
 * Writes the stacks of those wall-clock samples that were taken in certain stretches of their
 * thread's time. Not thread-safe.
 */
final class SamplesWithinWork extends JfrToFlame {
    private final WorkByThread within;
    private final WorkByThread except;
    private final long ticksAhead; // Of the profiler's clock.
    private final SampleTimes times;

    private SamplesWithinWork(
            JfrReader jfr,
            Arguments arguments,
            WorkByThread within,
            WorkByThread except,
            SampleTimes times) {
        super(jfr, arguments);
        this.within = within;
        this.except = except;
        this.ticksAhead = RecordingClock.of(jfr).ticksAhead(within.clock());
        this.times = times;
    }

    /**
     * Writes a line for each different stack: the thread, the frames from the outermost to the
     * innermost with {@code ;} between them, and the number of samples.
     *
     * @param recording of the profiler
     * @param except a sample in these stretches does not count
     */
    static void write(Path recording, WorkByThread within, WorkByThread except, Path target)
            throws IOException {
        SampleTimes times = SampleTimes.read(recording);
        Arguments arguments =
                new Arguments("--wall", "--threads", "--norm", "--dot", "--output", "collapsed");
        try (JfrReader jfr = new JfrReader(recording.toString());
                OutputStream out = Files.newOutputStream(target)) {
            SamplesWithinWork samples =
                    new SamplesWithinWork(jfr, arguments, within, except, times);
            samples.convert();
            samples.dump(out);
        }
    }

    /** The constructor of the superclass calls this. The collector is used later. */
    @Override
    protected EventCollector createCollector(Arguments arguments) {
        EventAggregator chosen = new EventAggregator(arguments.threads, arguments.grain);
        return new EventCollector() {
            @Override
            public void collect(Event event) {
                if (event instanceof ExecutionSample sample) {
                    chooseFrom(sample, chosen);
                }
            }

            @Override
            public void beforeChunk() {
                chosen.beforeChunk();
            }

            @Override
            public void afterChunk() {
                chosen.afterChunk();
            }

            @Override
            public boolean finish() {
                return chosen.finish();
            }

            @Override
            public void forEach(Visitor visitor) {
                chosen.forEach(visitor);
            }
        };
    }

    private void chooseFrom(ExecutionSample event, EventAggregator chosen) {
        Long thread = jfr.javaThreads.get(event.tid);
        if (thread == null || thread == 0) {
            return; // Not a thread of Java.
        }
        long count =
                times.of(event)
                        .map(ticks -> ticks - ticksAhead)
                        .filter(ticks -> within.contains(thread, ticks))
                        .filter(ticks -> !except.contains(thread, ticks))
                        .count();
        if (count > 0) {
            chosen.collect(event, count, count);
        }
    }
}
