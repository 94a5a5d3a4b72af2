package dht.storage.lsm;

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * Runs a check with the numbers 0, 1, 2, and so on. Several run at the same time, because each of
 * them waits most of its time: for background threads to start, to work and to end.
 */
final class Numbered {
    private static final int THREADS = 2;

    private Numbered() {}

    /** A check that shares nothing with the same check of another number. */
    interface Check {
        /** Answers whether there is nothing to check any more, from this number on. */
        boolean isThrough(long number) throws Exception;
    }

    /** Runs the check until it is through. Throws what the first check that failed has thrown. */
    static void run(Check check) throws InterruptedException {
        AtomicLong next = new AtomicLong();
        AtomicBoolean isOver = new AtomicBoolean();
        ExecutorService threads =
                Executors.newFixedThreadPool(
                        THREADS, Thread.ofPlatform().name("numbered-", 0).daemon().factory());
        try {
            List<? extends Future<?>> runs =
                    IntStream.range(0, THREADS)
                            .mapToObj(_ -> threads.submit(() -> run(check, next, isOver)))
                            .toList();
            for (Future<?> run : runs) {
                run.get();
            }
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause().getMessage(), e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private static Void run(Check check, AtomicLong next, AtomicBoolean isOver) throws Exception {
        try {
            boolean isThrough = false;
            while (!isThrough && !isOver.get()) {
                isThrough = check.isThrough(next.getAndIncrement());
            }
            return null;
        } finally {
            isOver.set(true); // Also after a failure.
        }
    }
}
