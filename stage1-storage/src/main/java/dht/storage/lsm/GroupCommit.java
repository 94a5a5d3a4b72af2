package dht.storage.lsm;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.storage.StorageException;
import dht.storage.StorageUnavailableException;
import dht.storage.WriteListener;
import dht.storage.file.StorageDirectory;
import dht.storage.log.WriteAheadLog;
import dht.storage.memtable.MemTable;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Group commit: one sync of the log for all writes that arrived during the sync before it. A
 * waiting write occupies no thread: one thread syncs, and then notifies the listeners.
 *
 * <p>On a slow disk, a sync is delayed until the clients that were just answered have written
 * again, but not longer than {@link CommitDelay} says.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Writes wait and are notified in the order of the log, because {@link #reserve} and {@link
 *       #add} are both called under the write lock.
 *   <li>Each listener is called exactly once: by the syncing thread, after it has taken the
 *       listener's group.
 *   <li>A write is durable only after a sync of its log that began when its record was complete,
 *       and after all records in earlier logs are synced.
 *   <li>After a failed sync, no log is synced again. First the engine begins to refuse writes. Then
 *       the listeners of this log's writes, and of all later writes, are notified of the failure.
 *   <li>A memtable is retained from {@link #add} until the sync of its log has ended, so that its
 *       log is not reused for another memtable before that.
 *   <li>{@link #add} cannot fail: {@link #reserve} has allocated what it needs, before the record
 *       was appended.
 * </ol>
 *
 * <p>Thread-safe. {@code lock} is taken after the write lock, and is held only for a short time.
 */
final class GroupCommit implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GroupCommit.class);
    static final String THREAD_NAME = "storage-sync";
    private static final String REMEDY = ": check the disk, then restart the server";

    private final StorageDirectory directory;
    private final int writesMax;
    private final long bytesMax;
    private final LongUnaryOperator delayNanos;
    private final Consumer<String> refuseWrites;
    private final Thread thread;
    private final AtomicLong syncCount = new AtomicLong();

    /** Created in advance, for the case that there is no memory for a better message. */
    private final StorageException outOfMemory;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();

    @GuardedBy("lock")
    private WriteGroup gathering = new WriteGroup();

    /**
     * The other group, which is empty; valid only while the syncing thread holds none. The two
     * groups alternate, so that a sync allocates nothing.
     */
    @GuardedBy("lock")
    private WriteGroup spare = new WriteGroup();

    /** Including the writes that are being synced. */
    @GuardedBy("lock")
    private int waitingWrites;

    @GuardedBy("lock")
    private long waitingBytes;

    @GuardedBy("lock")
    private boolean closed;

    /**
     * The next sync is delayed until this number of writes wait, or for {@link #nextDelayNanos}.
     */
    @GuardedBy("lock")
    private int expectedWrites;

    @GuardedBy("lock")
    private long nextDelayNanos;

    /** Null until a sync has failed. Used only by the syncing thread. */
    private StorageException failure;

    /**
     * @param directory is named in messages
     * @param writesMax the largest number of waiting writes; further ones are refused
     * @param bytesMax the limit for the log bytes of waiting writes; a single larger write may
     *     still wait if no other write waits
     * @param delayNanos called by the syncing thread after each sync, with its duration; returns
     *     the longest delay of the next sync
     * @param refuseWrites called with the reason when a sync has failed
     */
    GroupCommit(
            StorageDirectory directory,
            int writesMax,
            long bytesMax,
            LongUnaryOperator delayNanos,
            Consumer<String> refuseWrites) {
        this.directory = directory;
        this.writesMax = writesMax;
        this.bytesMax = bytesMax;
        this.delayNanos = delayNanos;
        this.refuseWrites = refuseWrites;
        this.outOfMemory =
                new StorageException(
                        "cannot sync log: path="
                                + directory
                                + ": no memory is left to say why"
                                + REMEDY);
        this.thread = Thread.ofPlatform().name(THREAD_NAME).daemon().unstarted(this::work);
    }

    void start() {
        thread.start();
    }

    /**
     * Makes room for a write that is about to be appended. Called under the write lock.
     *
     * @throws StorageUnavailableException if too many writes wait
     */
    void reserve(long logBytes) {
        lock.lock();
        try {
            boolean isFull =
                    waitingWrites >= writesMax
                            || waitingWrites > 0 && waitingBytes + logBytes > bytesMax;
            if (isFull) {
                throw new StorageUnavailableException(
                        "too many writes wait for an fsync: writes="
                                + waitingWrites
                                + " bytes="
                                + waitingBytes
                                + ": the disk is slower than the writers; try again");
            }
            gathering.reserve();
        } finally {
            lock.unlock();
        }
    }

    /** Adds a write, whose listener is notified when it is durable. Called under the write lock. */
    void add(MemTable written, long logBytes, WriteListener listener) {
        lock.lock();
        try {
            gathering.add(written, logBytes, listener);
            waitingWrites++;
            waitingBytes += logBytes;
            if (gathering.count() == 1 || gathering.count() == expectedWrites) {
                arrived.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    private void work() {
        for (WriteGroup group; (group = take()) != null; ) {
            commit(group);
            giveBack(group);
        }
    }

    /**
     * Waits for writes, and takes their group. Returns null if this is closed and no write waits.
     */
    private WriteGroup take() {
        lock.lock();
        try {
            while (gathering.count() == 0 && !closed) {
                arrived.awaitUninterruptibly();
            }
            if (gathering.count() == 0) {
                return null;
            }
            awaitExpectedWrites();
            WriteGroup taken = gathering;
            gathering = spare;
            return taken;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void awaitExpectedWrites() {
        long leftNanos = nextDelayNanos;
        while (failure == null && gathering.count() < expectedWrites && leftNanos > 0 && !closed) {
            leftNanos = awaitArrival(leftNanos);
        }
    }

    /** Returns how much of the time is left. */
    @GuardedBy("lock")
    private long awaitArrival(long nanosMax) {
        try {
            return arrived.awaitNanos(nanosMax);
        } catch (InterruptedException e) { // No code does that. If it happens, sync now.
            return 0;
        }
    }

    private void giveBack(WriteGroup group) {
        lock.lock();
        try {
            group.clear();
            spare = group;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Syncs the logs in the order in which they were begun: after a crash, a log is useless without
     * the logs before it.
     */
    private void commit(WriteGroup group) {
        for (int from = 0; from < group.count(); ) {
            int to = group.endOfLog(from);
            if (failure == null) {
                sync(group.log(from), group.logEnd(to - 1));
            }
            notifyListeners(group, from, to);
            from = to;
        }
    }

    private void sync(WriteAheadLog log, long end) {
        try {
            syncAndTime(log, end);
        } catch (Throwable e) { // Also an Error: the waiting listeners must be notified.
            failure = outOfMemory;
            failure = failureOf(log, e);
            refuseWrites();
        }
    }

    /** Syncs a log. Its duration gives the delay of the next sync. */
    private void syncAndTime(WriteAheadLog log, long end) throws IOException {
        syncCount.incrementAndGet();
        long beganAtNanos = System.nanoTime();
        log.sync(end);
        long delay = delayNanos.applyAsLong(System.nanoTime() - beganAtNanos);
        lock.lock();
        try {
            nextDelayNanos = delay;
            // The writes of this group, and those that have arrived meanwhile. If the group has two
            // logs, the number may be too small: the listeners of the first log are already
            // notified. Then one sync may begin before the other writers have written again.
            expectedWrites = waitingWrites;
        } finally {
            lock.unlock();
        }
    }

    private void refuseWrites() {
        try {
            refuseWrites.accept(failure.getMessage());
        } catch (Throwable e) { // Later writes fail in any case: here, if they are not refused.
            report("after a failed sync, refusing all further writes has failed", e);
        }
    }

    private StorageException failureOf(WriteAheadLog log, Throwable e) {
        try {
            return new StorageException(
                    "cannot sync log: file="
                            + log.records()
                            + " path="
                            + directory
                            + ": "
                            + BackgroundTask.reason(e)
                            + REMEDY,
                    e);
        } catch (OutOfMemoryError _) {
            return outOfMemory;
        }
    }

    /**
     * Notifies the listeners of the writes from index {@code from} up to but not including {@code
     * to}. These writes wait no longer, so their clients may write again at once.
     */
    private void notifyListeners(WriteGroup group, int from, int to) {
        lock.lock();
        try {
            waitingWrites -= to - from;
            waitingBytes -= group.logBytes(from, to);
        } finally {
            lock.unlock();
        }
        for (int i = from; i < to; i++) {
            notifyListener(group, i);
        }
    }

    private void notifyListener(WriteGroup group, int index) {
        try {
            WriteListener listener = group.listener(index);
            if (failure == null) {
                listener.durable();
            } else {
                listener.failed(failure);
            }
        } catch (Throwable e) { // The listener must not throw; the next one is still notified.
            report(
                    "a listener has thrown after it was notified of its write; this does not change whether the write is durable",
                    e);
        } finally {
            release(group, index);
        }
    }

    private static void release(WriteGroup group, int index) {
        try {
            group.release(index);
        } catch (Throwable e) {
            report("cannot release a memtable: its memory is not used again", e);
        }
    }

    private static void report(String what, Throwable e) {
        try {
            LOG.error(what, e);
        } catch (Throwable _) { // Logging fails, too, but the next listeners must be notified.
        }
    }

    /** How many syncs of a log have begun. */
    long syncCount() {
        return syncCount.get();
    }

    /** How many writes wait for a sync. */
    int waitingCount() {
        lock.lock();
        try {
            return waitingWrites;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the thread after all waiting listeners are notified. No write may be added after this
     * call.
     */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            arrived.signal();
        } finally {
            lock.unlock();
        }
        Uninterruptibly.join(thread);
    }
}
