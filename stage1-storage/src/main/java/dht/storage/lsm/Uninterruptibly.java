package dht.storage.lsm;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/**
 * Methods that wait and do not end early when the thread is interrupted. The thread's interrupt
 * status is restored afterwards. The engine needs them because closing must write all entries, even
 * on an interrupted thread. Stateless and thread-safe.
 */
final class Uninterruptibly {
    private Uninterruptibly() {}

    static <T> T get(Future<T> future) throws ExecutionException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return future.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Waits until the thread has ended. */
    static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
