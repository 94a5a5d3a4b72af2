package dht.testkit.exercise;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A time limit for each test: a test that takes longer is interrupted, and its stack at that moment
 * is reported. A test's own {@code @Timeout} has an effect only if it is shorter.
 *
 * <p>A test is interrupted again and again until it ends, because closing its servers may also
 * wait. A test that ignores interrupts continues; then the process that sent the request must end
 * this process. Thread-safe.
 */
final class TimeLimit implements AutoCloseable {
    private static final Duration AGAIN = Duration.ofSeconds(1);
    private static final int FRAMES_MAX = 3;

    private final Duration limit;
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(
                    task -> Thread.ofPlatform().daemon().name("time limit").unstarted(task));

    @GuardedBy("this")
    private final Map<String, Running> running = new HashMap<>();

    TimeLimit(Duration limit) {
        this.limit = limit;
    }

    Duration limit() {
        return limit;
    }

    /**
     * Starts the time of a test that the calling thread runs.
     *
     * @param overdue called once if the time is over, with the first frames of the project's code
     */
    synchronized void begin(String id, Consumer<List<String>> overdue) {
        Running test = new Running(Thread.currentThread(), overdue);
        running.put(id, test);
        test.alarm =
                clock.scheduleAtFixedRate(
                        () -> interrupt(id, test),
                        limit.toNanos(),
                        AGAIN.toNanos(),
                        TimeUnit.NANOSECONDS);
    }

    private synchronized void interrupt(String id, Running test) {
        if (running.get(id) != test) {
            return;
        }
        if (test.frames == null) {
            test.frames = frames(test.thread.getStackTrace());
            test.overdue.accept(test.frames);
        }
        test.thread.interrupt();
    }

    /**
     * Ends the time of a test.
     *
     * @return the first frames of the project's code when the time was over; null if the test ended
     *     in time
     */
    synchronized List<String> end(String id) {
        Running test = running.remove(id);
        if (test == null) {
            return null;
        }
        test.alarm.cancel(false);
        if (test.frames != null) {
            Thread.interrupted(); // The interrupt must not reach the next test.
        }
        return test.frames;
    }

    /** The first frames of a stack that belong to the project's own code. */
    static List<String> frames(StackTraceElement[] trace) {
        return Arrays.stream(trace)
                .filter(frame -> frame.getClassName().startsWith("dht."))
                .filter(frame -> !frame.getClassName().startsWith(TimeLimit.class.getPackageName()))
                .limit(FRAMES_MAX)
                .map(TimeLimit::text)
                .toList();
    }

    /** Without the name of the class loader. */
    private static String text(StackTraceElement frame) {
        return "at %s.%s(%s:%d)"
                .formatted(
                        frame.getClassName(),
                        frame.getMethodName(),
                        frame.getFileName(),
                        frame.getLineNumber());
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }

    /** A test that runs now. The fields are guarded by the lock of the limit. */
    private static final class Running {
        final Thread thread;
        final Consumer<List<String>> overdue;
        Future<?> alarm;
        List<String> frames;

        Running(Thread thread, Consumer<List<String>> overdue) {
            this.thread = thread;
            this.overdue = overdue;
        }
    }
}
