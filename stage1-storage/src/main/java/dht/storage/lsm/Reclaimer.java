package dht.storage.lsm;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;

/**
 * Frees memory and files that nobody holds any more, in the background: unmapping costs a handshake
 * with every thread, and the last one to let go may be on a request's way. Once closed, it frees at
 * once; so it does when there is no memory left to note down what is to be freed.
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

    /** Frees all that waits; what fails keeps nothing else from being freed. */
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
