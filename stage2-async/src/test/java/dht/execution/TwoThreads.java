package dht.execution;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/**
 * Two threads that begin many rounds at the same moment. In each round, one of them is a little
 * later than the other, by another time than in the round before. So over all rounds, their steps
 * meet in many orders.
 *
 * <p>Used once. The threads do not block, because waking a thread takes much longer than a round.
 */
final class TwoThreads {
    /**
     * So many pairs should do the rounds, one after another. On a busy machine, both threads of a
     * pair may be on the same processor. Then they never run at the same time.
     */
    static final int PAIRS = 16;

    private static final int DELAYS = 8;
    private static final int CHECK_EVERY = 100;

    /** How long one pair does rounds. */
    static final long NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(75);

    /** A wait that is longer than this is for a thread that has no processor now. */
    private static final long SPIN_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final AtomicInteger arrived = new AtomicInteger();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile int rounds;

    /**
     * Runs all rounds, or as many as a short time allows.
     *
     * @return the number of rounds that were run
     */
    int run(int roundsMax, IntConsumer first, IntConsumer second) throws InterruptedException {
        rounds = roundsMax;
        Thread other = Thread.ofPlatform().daemon().start(() -> runAll(1, second, () -> false));
        long beganAtNanos = System.nanoTime();
        runAll(DELAYS, first, () -> System.nanoTime() - beganAtNanos > NANOS_MAX);
        other.join();
        switch (failure.get()) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new AssertionError(e);
        }
        return rounds;
    }

    private void runAll(int roundsPerDelay, IntConsumer each, BooleanSupplier isTimeOver) {
        try {
            for (int round = 0; begin(round, isTimeOver); round++) {
                for (int delay = round / roundsPerDelay % DELAYS; delay > 0; delay--) {
                    Thread.onSpinWait();
                }
                each.accept(round);
            }
        } catch (Throwable e) {
            failure.compareAndSet(null, e); // The other thread ends, too.
        }
    }

    /** Waits for the other thread. Returns false to both threads after the last round. */
    private boolean begin(int round, BooleanSupplier isTimeOver) {
        if (isTimeOver.getAsBoolean()) {
            rounds = Math.min(rounds, round);
        }
        arrived.incrementAndGet();
        spinUntil(() -> arrived.get() >= 2 * (round + 1));
        return round < rounds;
    }

    /**
     * Waits until the condition holds. At first it keeps its processor: a thread that lets go of it
     * would not run at the same time as the other one. After a while it lets other threads run,
     * because the other one may be waiting for this very processor.
     *
     * @throws AssertionError if it does not hold in time, or if the other thread has failed
     */
    void spinUntil(BooleanSupplier condition) {
        long beganAtNanos = System.nanoTime();
        for (int spins = 1; !condition.getAsBoolean(); spins++) {
            Thread.onSpinWait();
            if (spins % CHECK_EVERY == 0) {
                long waitedNanos = System.nanoTime() - beganAtNanos;
                check(waitedNanos);
                if (waitedNanos > SPIN_NANOS) {
                    Thread.yield();
                }
            }
        }
    }

    private void check(long waitedNanos) {
        if (failure.get() != null || Thread.currentThread().isInterrupted()) {
            throw new AssertionError("the other thread has failed, or this one is interrupted");
        }
        if (waitedNanos > PATIENCE_NANOS) {
            throw new AssertionError("what this thread waits for does not happen");
        }
    }
}
