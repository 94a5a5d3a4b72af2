package dht.storage.lsm;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;

/**
 * Frees unused memory and files in the background. Unmapping a file needs a handshake with every
 * thread of the JVM, and a thread that serves a request should not wait for it. The reclaimer frees
 * at once, on the caller's thread, in two cases: after it is closed, and if there is no memory to
 * put the work into its queue.
 *
 * <p>Thread-safe.
 */
final class Reclaimer implements Executor, AutoCloseable {
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final BackgroundTask task;
    private volatile boolean closed;

    Reclaimer(long retryMillis) {
        this.task = new BackgroundTask("storage-reclaim", this::freeAll, () -> {}, retryMillis);
    }

    void start() {
        task.start();
    }

    @Override
    public void execute(Runnable free) {
        try {
            waiting.add(free);
        } catch (OutOfMemoryError e) {
            free.run();
            return;
        }
        task.wake();
        if (closed) {
            freeAll();
        }
    }

    /** Frees everything in the queue. If freeing one thing fails, the others are still freed. */
    private void freeAll() {
        Throwable failure = null;
        Runnable free = waiting.poll();
        while (free != null) {
            try {
                free.run();
            } catch (RuntimeException | Error e) {
                failure = e;
            }
            free = waiting.poll();
        }
        switch (failure) {
            case null -> {}
            case Error e -> throw e;
            case Throwable e -> throw (RuntimeException) e;
        }
    }

    @Override
    public void close() {
        task.close();
        closed = true;
        freeAll();
    }
}
