package dht.storage.simulation;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/** Lets a test fail, delay and count operations, and change this at any time. Thread-safe. */
public final class Faults implements Hook {
    private static final Predicate<Operation> NONE = _ -> false;

    private volatile Predicate<Operation> failing = NONE;
    private volatile Predicate<Operation> blocking = NONE;
    private volatile CountDownLatch blocked = new CountDownLatch(1);
    private volatile CountDownLatch released = new CountDownLatch(1);
    private volatile Predicate<Operation> counting = NONE;
    private final AtomicLong count = new AtomicLong();

    public void fail(Predicate<Operation> operations) {
        failing = operations;
    }

    /** The next such operation fails, and no other. */
    public void failOnce(Predicate<Operation> operations) {
        failing =
                operation -> {
                    boolean fails = operations.test(operation);
                    if (fails) {
                        failing = NONE;
                    }
                    return fails;
                };
    }

    public void heal() {
        failing = NONE;
    }

    /** Such operations wait until they are released. */
    public void block(Predicate<Operation> operations) {
        blocked = new CountDownLatch(1);
        released = new CountDownLatch(1);
        blocking = operations;
    }

    public void awaitBlocked() throws InterruptedException {
        blocked.await();
    }

    public void release() {
        blocking = NONE;
        released.countDown();
    }

    /** Counts such operations from now on. */
    public void count(Predicate<Operation> operations) {
        count.set(0);
        counting = operations;
    }

    public long count() {
        return count.get();
    }

    @Override
    public void before(Operation operation) throws IOException {
        if (counting.test(operation)) {
            count.incrementAndGet();
        }
        if (blocking.test(operation)) {
            CountDownLatch release = released;
            blocked.countDown();
            awaitUninterruptibly(release);
        }
        if (failing.test(operation)) {
            throw new IOException("injected: " + operation);
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean interrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
