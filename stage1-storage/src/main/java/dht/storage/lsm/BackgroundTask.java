package dht.storage.lsm;

import dht.storage.StorageException;
import dht.storage.StorageUnavailableException;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work that has a thread of its own and is done whenever somebody says that there may be some. When
 * it fails it is tried again after a while, and the log says so once.
 *
 * <p>Thread-safe.
 */
final class BackgroundTask implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BackgroundTask.class);
    static final long RETRY_MILLIS = 1000;

    /** Does all there is to do. */
    @FunctionalInterface
    interface Work {
        void run() throws IOException;
    }

    /** Why a round of work failed. */
    private record Failure(long round, StorageException exception) {}

    private final String name;
    private final Work work;
    private final Runnable onFailure;
    private final long retryMillis;
    private final ScheduledThreadPoolExecutor executor;

    private final AtomicBoolean isDue = new AtomicBoolean(); // A round waits for its turn.
    private boolean isRetryDue; // Of the task's thread.

    // Written by the task's thread.
    private final AtomicLong round = new AtomicLong();
    private volatile Failure failure;

    /**
     * @param onFailure called, in the task's thread, each time that the work has failed
     */
    BackgroundTask(String name, Work work, Runnable onFailure, long retryMillis) {
        this.name = name;
        this.work = work;
        this.onFailure = onFailure;
        this.retryMillis = retryMillis;
        this.executor =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().name(name).daemon().factory());
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Has the work done, soon. */
    void wake() {
        if (isDue.compareAndSet(false, true)) {
            execute(this::runOnce, 0);
        }
    }

    private void execute(Runnable task, long delayMillis) {
        try {
            var unused = executor.schedule(task, delayMillis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closed) {
            // There is nothing to be done any more.
        }
    }

    private void runOnce() {
        isDue.set(false);
        round.incrementAndGet();
        try {
            work.run();
            if (failure != null) {
                failure = null;
                LOG.info("{} works again", name);
            }
        } catch (Throwable e) { // Errors too: nobody else would ever hear of one.
            fail(e);
            onFailure.run();
            retryLater();
        }
    }

    private void fail(Throwable e) {
        if (failure == null) {
            boolean isBug = !(e instanceof IOException || e instanceof StorageException);
            LOG.error(
                    "{} failed, and is tried again every {} ms: {}",
                    name,
                    retryMillis,
                    reason(e),
                    isBug ? e : null);
        }
        failure = new Failure(round.get(), new StorageException(name + " failed: " + reason(e), e));
    }

    private static String reason(Throwable e) {
        return e.getMessage() == null ? e.toString() : e.getMessage();
    }

    private void retryLater() {
        if (!isRetryDue) {
            isRetryDue = true;
            execute(
                    () -> {
                        isRetryDue = false;
                        runOnce();
                    },
                    retryMillis);
        }
    }

    /** Why the work failed when it was last done, or null if it didn't. */
    StorageException failure() {
        Failure last = failure;
        return last == null ? null : last.exception();
    }

    /** Tells why the work failed when it was last done; null if it didn't begin after this call. */
    Supplier<StorageException> failureFromNow() {
        long before = round.get();
        return () -> {
            Failure last = failure;
            return last == null || last.round() <= before ? null : last.exception();
        };
    }

    /**
     * Does something else in the task's thread, between two rounds of work, and waits for it.
     *
     * @throws StorageUnavailableException if the task is closed, or the action was given up
     * @throws StorageException if it failed
     */
    <T> T call(Callable<T> action) {
        try {
            return Uninterruptibly.get(executor.submit(action));
        } catch (ExecutionException e) {
            throw switch (e.getCause()) {
                case StorageException cause -> cause;
                case CancellationException _ -> closed();
                case Throwable cause ->
                        new StorageException(name + " failed: " + reason(cause), cause);
            };
        } catch (RejectedExecutionException e) {
            throw closed();
        }
    }

    private static StorageUnavailableException closed() {
        return new StorageUnavailableException("storage is closed");
    }

    /**
     * Ends the thread when it has done what it is doing; it is not interrupted, as that would close
     * the files it writes.
     */
    @Override
    public void close() {
        Uninterruptibly.close(executor);
    }
}
