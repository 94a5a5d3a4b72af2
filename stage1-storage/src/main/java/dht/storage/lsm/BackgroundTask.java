package dht.storage.lsm;

import dht.storage.StorageException;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work that has a thread of its own and is done whenever somebody says that there may be some. When
 * it fails it is tried again after a second, and the log says so once.
 *
 * <p>Thread-safe.
 */
final class BackgroundTask implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BackgroundTask.class);
    private static final long RETRY_MILLIS = 1000;

    /** Does all there is to do. */
    @FunctionalInterface
    interface Work {
        void run() throws IOException;
    }

    private final String name;
    private final Work work;
    private final Runnable onFailure;
    private final ScheduledThreadPoolExecutor executor;
    private volatile StorageException failure;

    /**
     * @param onFailure called, in the task's thread, each time that the work has failed
     */
    BackgroundTask(String name, Work work, Runnable onFailure) {
        this.name = name;
        this.work = work;
        this.onFailure = onFailure;
        this.executor =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().name(name).daemon().factory());
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Has the work done, soon. */
    void wake() {
        try {
            executor.execute(this::runOnce);
        } catch (RejectedExecutionException closed) {
            // There is nothing to be done any more.
        }
    }

    private void runOnce() {
        try {
            work.run();
            if (failure != null) {
                failure = null;
                LOG.info("{} works again", name);
            }
        } catch (IOException | RuntimeException e) {
            fail(e);
            onFailure.run();
            executor.schedule(this::runOnce, RETRY_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void fail(Exception e) {
        StorageException former = failure;
        failure = new StorageException(name + " failed: " + e.getMessage(), e);
        if (former == null || !former.getMessage().equals(failure.getMessage())) {
            LOG.error(
                    "{} failed, and is tried again every {} ms: {}",
                    name,
                    RETRY_MILLIS,
                    e.toString());
        }
    }

    /** Why the work failed when it was last done, or null if it didn't. */
    StorageException failure() {
        return failure;
    }

    /**
     * Does something else in the task's thread, between two rounds of work, and waits for it.
     *
     * @throws StorageException if it failed
     */
    <T> T call(Callable<T> action) {
        Future<T> future = executor.submit(action);
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof StorageException storageException
                    ? storageException
                    : new StorageException(
                            name + " failed: " + e.getCause().getMessage(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StorageException("interrupted while waiting for " + name, e);
        }
    }

    /**
     * Ends the thread when it has done what it is doing; it is not interrupted, as that would close
     * the files it writes.
     */
    @Override
    public void close() {
        executor.close();
    }
}
