package dht.testkit.concurrent;

import dht.testkit.transcript.Mismatch;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The moment at which waiting ends. Immutable; threads may share it. */
public final class Deadline {
    private static final long POLL_NANOS = 2_000_000;

    private final Duration patience;
    private final long endNanos;

    private Deadline(Duration patience) {
        this.patience = patience;
        this.endNanos = System.nanoTime() + patience.toNanos();
    }

    public static Deadline in(Duration patience) {
        return new Deadline(patience);
    }

    /** The remaining time; zero after the deadline. */
    public Duration left() {
        return Duration.ofNanos(Math.max(0, endNanos - System.nanoTime()));
    }

    public boolean passed() {
        return endNanos - System.nanoTime() <= 0;
    }

    /**
     * Waits until the condition holds, and returns whether it did in time. It is checked at least
     * once.
     */
    public boolean reached(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            if (passed() || Thread.currentThread().isInterrupted()) {
                return condition.getAsBoolean();
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        return true;
    }

    /**
     * Waits until the condition holds. It is checked at least once.
     *
     * @param expected the condition in words
     * @throws Mismatch if the condition does not hold in time
     */
    public void await(String expected, BooleanSupplier condition) {
        if (!reached(condition)) {
            throw new Mismatch(expected, "not so within " + words(patience));
        }
    }

    /**
     * Waits until the latch is at zero.
     *
     * @param expected the condition in words
     * @throws Mismatch if the latch is not at zero in time, or the thread is interrupted
     */
    public void await(String expected, CountDownLatch latch) {
        try {
            if (!latch.await(left().toNanos(), TimeUnit.NANOSECONDS)) {
                throw new Mismatch(expected, "not so within " + words(patience));
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new Mismatch(expected, "an interruption of the test");
        }
    }

    /** A duration as text, for example {@code 10 s} or {@code 500 ms}. */
    public static String words(Duration duration) {
        return duration.toMillis() % 1000 == 0
                ? duration.toSeconds() + " s"
                : duration.toMillis() + " ms";
    }
}
