package dht.storage.lsm;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.storage.StorageException;
import dht.storage.StorageUnavailableException;
import java.io.IOException;
import java.util.LinkedList;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import jdk.jfr.FlightRecorder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Background work with its own thread. A round of work runs after each {@link #wake}. If a round
 * fails, it is repeated after some time, and the failure is logged once.
 *
 * <p>Thread-safe. Invariants, which hold even if the work throws or memory is exhausted:
 *
 * <ol>
 *   <li>Only {@link #close} ends the thread.
 *   <li>{@link #wake} allocates nothing and cannot fail. A round of work begins after each wake.
 *   <li>A round that failed is followed by another, after {@code retryMillis} at most.
 *   <li>Every action that was accepted runs before the thread ends, unless its caller was
 *       interrupted before.
 * </ol>
 */
final class BackgroundTask implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BackgroundTask.class);
    static final long RETRY_MILLIS = 1000;

    /** Does all the work that is due. */
    @FunctionalInterface
    interface Work {
        void run() throws IOException;
    }

    // Constant after construction.
    private final String name;
    private final Work work;
    private final Runnable onFailure;
    private final long retryNanos;
    private final Thread thread;
    // Created in advance: later there may be no memory for it.
    private final StorageException outOfMemory;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Not an ArrayDeque: if there is no memory to enlarge it, it looks empty afterwards.
    @SuppressWarnings("JdkObsolete")
    @GuardedBy("lock")
    private final Queue<FutureTask<?>> calls = new LinkedList<>();

    @GuardedBy("lock")
    private boolean isDue; // Whether a round must run.

    @GuardedBy("lock")
    private boolean isRetryDue; // Whether a round must run at retryAtNanos.

    @GuardedBy("lock")
    private long retryAtNanos;

    @GuardedBy("lock")
    private boolean closed;

    // Written by the task's thread, read by any. A failure is stored before its round's number.
    private volatile long round;
    private volatile StorageException failure;
    private volatile long failedRound;

    /**
     * @param onFailure called on the task's thread after each failure of the work
     */
    BackgroundTask(String name, Work work, Runnable onFailure, long retryMillis) {
        this.name = name;
        this.work = work;
        this.onFailure = onFailure;
        this.retryNanos = TimeUnit.MILLISECONDS.toNanos(retryMillis);
        this.outOfMemory = new StorageException(name + " failed: out of memory");
        this.thread = Thread.ofPlatform().name(name).daemon().unstarted(this::runUntilClosed);
    }

    /** Starts the thread. If {@link #wake} was called before, a round runs at once. */
    void start() {
        thread.start();
    }

    /** Makes a round of work run soon. */
    void wake() {
        lock.lock();
        try {
            isDue = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void runUntilClosed() {
        boolean goesOn = true;
        while (goesOn) {
            try {
                goesOn = takeTurn();
            } catch (Throwable e) { // Invariant 1.
                isOnlyLogged(e);
            }
        }
    }

    /**
     * Waits for something to do, and does it. Returns false if this is closed and nothing is left
     * to do.
     */
    private boolean takeTurn() {
        boolean isRound;
        FutureTask<?> call;
        lock.lock();
        try {
            awaitTurn();
            isRound = isDue && !closed;
            isDue = false;
            isRetryDue &= !isRound;
            call = calls.poll();
            if (!isRound && call == null) {
                return false;
            }
        } finally {
            lock.unlock();
        }
        try {
            if (isRound) {
                runOnce();
            }
        } finally {
            if (call != null) {
                call.run();
            }
        }
        return true;
    }

    /** Waits until a round is due, an action was added, or the task was closed. */
    @GuardedBy("lock")
    private void awaitTurn() {
        while (!isDue && calls.isEmpty() && !closed) {
            if (!isRetryDue) {
                changed.awaitUninterruptibly();
            } else {
                awaitRetry();
            }
        }
    }

    @GuardedBy("lock")
    private void awaitRetry() {
        long leftNanos = retryAtNanos - System.nanoTime();
        isDue = leftNanos <= 0;
        if (!isDue) {
            try {
                long unused = changed.awaitNanos(leftNanos);
            } catch (InterruptedException e) {
                LOG.debug("{} was interrupted, and ignores it", name);
            }
        }
    }

    private void runOnce() {
        round++;
        boolean isDone = false;
        try {
            BackgroundEvent event = beginEvent();
            work.run();
            if (event != null) {
                event.commit();
            }
            isDone = true;
            if (failure != null) {
                failure = null;
                LOG.info("{} works again", name);
            }
        } catch (Throwable e) { // Also errors: otherwise they would not be logged.
            fail(e);
        } finally {
            if (!isDone) {
                repeatLater();
                onFailure.run();
            }
        }
    }

    /**
     * Returns null unless a flight recorder was started: the classes of events and of the recorder
     * make each start of a server slower.
     */
    private BackgroundEvent beginEvent() {
        try {
            return FlightRecorder.isInitialized() ? new BackgroundEvent(name) : null;
        } catch (OutOfMemoryError | LinkageError _) { // The work is more important than its event.
            return null;
        }
    }

    private void fail(Throwable e) {
        StorageException reason = outOfMemory;
        try {
            boolean isFirst = failure == null;
            reason = new StorageException(name + " failed: " + reason(e), e);
            if (isFirst) {
                boolean isBug = !(e instanceof IOException || e instanceof StorageException);
                LOG.error(
                        "{} failed, and is tried again every {} ms: {}",
                        name,
                        TimeUnit.NANOSECONDS.toMillis(retryNanos),
                        reason(e),
                        isBug ? e : null);
            }
        } finally {
            failure = reason;
            failedRound = round;
        }
    }

    /** What an exception says, or its class if it says nothing. */
    static String reason(Throwable e) {
        return e.getMessage() == null ? e.toString() : e.getMessage();
    }

    private void isOnlyLogged(Throwable e) {
        try {
            LOG.error("{} continues after an error", name, e);
        } catch (Throwable alsoNoMemoryForThat) {
            // If the next round fails, too, it will be logged.
        }
    }

    /** Makes a round of work run after {@code retryMillis}. The work itself may call this. */
    void repeatLater() {
        lock.lock();
        try {
            if (!isRetryDue) {
                isRetryDue = true;
                retryAtNanos = System.nanoTime() + retryNanos;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Why the last round of work failed, or null if it succeeded. */
    StorageException failure() {
        return failure;
    }

    /**
     * Returns a supplier of the last round's failure. It returns null until a round that begins
     * after this call has failed.
     */
    Supplier<StorageException> failureFromNow() {
        long before = round;
        return () -> failedRound > before ? failure : null;
    }

    /**
     * Runs an action on the task's thread, between two rounds of work, and waits for it, even if
     * the caller's thread is interrupted.
     *
     * @throws StorageUnavailableException if the task is closed, or the action was cancelled
     * @throws StorageException if the action failed
     */
    <T> T call(Callable<T> action) {
        FutureTask<T> call = accept(action);
        try {
            return Uninterruptibly.get(call);
        } catch (ExecutionException e) {
            throw failureOf(e);
        }
    }

    /**
     * As {@link #call}, but stops waiting when the caller's thread is interrupted. An action that
     * has begun then goes on; otherwise it does not run. The thread stays interrupted.
     *
     * @throws StorageUnavailableException if the task is closed, or the action was cancelled
     * @throws StorageException if the action failed, or the thread was interrupted
     */
    <T> T callInterruptibly(Callable<T> action) {
        FutureTask<T> call = accept(action);
        try {
            return call.get();
        } catch (ExecutionException e) {
            throw failureOf(e);
        } catch (InterruptedException e) {
            call.cancel(false);
            Thread.currentThread().interrupt();
            throw new StorageException("interrupted while waiting for " + name, e);
        }
    }

    private <T> FutureTask<T> accept(Callable<T> action) {
        FutureTask<T> call = new FutureTask<>(action);
        lock.lock();
        try {
            if (closed) {
                throw closed();
            }
            calls.add(call);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        return call;
    }

    private StorageException failureOf(ExecutionException e) {
        return switch (e.getCause()) {
            case StorageException cause -> cause;
            case CancellationException _ -> closed();
            case Throwable cause -> new StorageException(name + " failed: " + reason(cause), cause);
        };
    }

    private static StorageUnavailableException closed() {
        return new StorageUnavailableException("storage is closed");
    }

    /**
     * Ends the thread after its current work and the accepted actions. The thread is not
     * interrupted, because that would close the files that it writes.
     */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        Uninterruptibly.join(thread);
    }
}
