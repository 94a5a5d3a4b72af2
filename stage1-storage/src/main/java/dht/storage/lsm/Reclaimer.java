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
    private final Queue<Runnable> waiting;
    private final BackgroundTask task;
    private volatile boolean closed;

    Reclaimer(long retryMillis) {
        this(retryMillis, new ConcurrentLinkedQueue<>());
    }

    /**
     * @param waiting an empty queue that threads may share
     */
    Reclaimer(long retryMillis, Queue<Runnable> waiting) {
        this.waiting = waiting;
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
            freeNow(free);
            return;
        }
        task.wake();
        if (closed) {
            freeAll();
        }
    }

    /** Throws no {@code OutOfMemoryError}: the caller may have further things to release. */
    private static void freeNow(Runnable free) {
        try {
            free.run();
        } catch (OutOfMemoryError _) { // The next start deletes the file.
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
