package dht.storage.lsm;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;

/**
 * Frees memory and files that nobody holds any more, in the background: unmapping costs a handshake
 * with every thread, and the last one to let go may be on a request's way. Once closed, it frees at
 * once.
 *
 * <p>Thread-safe.
 */
final class Reclaimer implements Executor, AutoCloseable {
    private final ExecutorService executor;

    /**
     * @param executor is closed together with this
     */
    Reclaimer(ExecutorService executor) {
        this.executor = executor;
    }

    @Override
    public void execute(Runnable free) {
        try {
            executor.execute(free);
        } catch (RejectedExecutionException closed) {
            free.run();
        }
    }

    @Override
    public void close() {
        Uninterruptibly.close(executor);
    }
}
