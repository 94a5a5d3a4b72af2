package dht.testkit.allocation;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The threads that have ended because no code caught their failure. In a server's own process, each
 * of them would end the process. Thread-safe.
 */
final class UncaughtFailures implements Thread.UncaughtExceptionHandler {
    private final Thread.UncaughtExceptionHandler before =
            Thread.getDefaultUncaughtExceptionHandler();

    // Guarded by this.
    private final Map<String, Integer> counts = new TreeMap<>();
    private boolean isNew;

    /** Handles the failures of all threads from now on, until {@link #uninstall}. */
    void install() {
        Thread.setDefaultUncaughtExceptionHandler(this);
    }

    void uninstall() {
        Thread.setDefaultUncaughtExceptionHandler(before);
    }

    @Override
    public synchronized void uncaughtException(Thread thread, Throwable failure) {
        String place =
                Stream.of(failure.getStackTrace())
                        .filter(frame -> !frame.getClassName().equals(Allocations.class.getName()))
                        .findFirst()
                        .map(frame -> " at " + frame)
                        .orElse("");
        counts.merge(
                "%s: %s%s"
                        .formatted(
                                thread.getName().replaceAll("\\d+", "N"),
                                failure.getClass().getSimpleName(),
                                place),
                1,
                Integer::sum);
        isNew = true;
    }

    /** Whether a thread has ended in this way since the last {@link #forget}. */
    synchronized boolean isAny() {
        return isNew;
    }

    /** Begins anew; {@link #toString} still tells all. */
    synchronized void forget() {
        isNew = false;
    }

    /** How many threads have ended, and where they failed. */
    @Override
    public synchronized String toString() {
        return counts.isEmpty() ? "none" : counts.toString();
    }
}
