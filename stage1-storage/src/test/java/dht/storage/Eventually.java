package dht.storage;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for a condition. If it does not become true in time, fails and shows the actual state. */
public final class Eventually {
    private static final Duration DEADLINE = Duration.ofSeconds(20);

    private Eventually() {}

    public static void holds(BooleanSupplier condition, Supplier<?> otherwise) {
        long startNanos = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - startNanos > DEADLINE.toNanos()) {
                throw new AssertionError("still after " + DEADLINE + ": " + otherwise.get());
            }
            LockSupport.parkNanos(100_000);
        }
    }
}
