package dht.storage.lsm;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/**
 * Waits that an interrupt doesn't cut short: it is kept for the caller instead. Closing in an
 * interrupted thread must write as much as in any other.
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

    /** Returns when the thread has ended. */
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
