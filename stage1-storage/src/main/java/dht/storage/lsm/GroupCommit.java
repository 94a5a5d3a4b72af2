package dht.storage.lsm;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.storage.StorageException;
import dht.storage.StorageUnavailableException;
import dht.storage.WriteListener;
import dht.storage.log.WriteAheadLog;
import dht.storage.memtable.MemTable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One sync of the log for all writes that came while the sync before it ran. A write that waits
 * holds no thread: one thread syncs, and then notifies the listeners.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Writes wait in the order of the log, as both {@link #reserve} and {@link #add} are called
 *       under the write lock, and are notified in this order.
 *   <li>Each listener is called exactly once: by the syncing thread, after it has taken the
 *       listener's group.
 *   <li>A write is durable only after a sync of its log that began when its record was whole, and
 *       after a sync of all that the logs before it hold.
 *   <li>After a sync has failed no log is synced again. First the engine refuses writes, then the
 *       listeners are called: of this group and of all that still come.
 *   <li>A memtable is held from {@link #add} until the sync of its log has ended, so that its log
 *       is not given to another memtable meanwhile.
 *   <li>{@link #add} cannot fail: what it needs was allocated by {@link #reserve}, before the
 *       record was appended.
 * </ol>
 *
 * <p>Thread-safe. {@code lock} is taken after the write lock, and is held for a moment only.
 */
final class GroupCommit implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GroupCommit.class);
    static final String THREAD_NAME = "storage-sync";

    private final int writesMax;
    private final long bytesMax;
    private final Consumer<String> refuseWrites;
    private final Thread thread;
    private final AtomicLong syncCount = new AtomicLong();

    /** Made beforehand, for when there is no memory to say more. */
    private final StorageException outOfMemory =
            new StorageException("cannot sync log: out of memory: restart the server");

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();

    @GuardedBy("lock")
    private WriteGroup gathering = new WriteGroup();

    /** Empty. Takes turns with the other one, so that a sync allocates nothing. */
    @GuardedBy("lock")
    private WriteGroup spare = new WriteGroup();

    /** Those of the group that is being synced included. */
    @GuardedBy("lock")
    private int waitingWrites;

    @GuardedBy("lock")
    private long waitingBytes;

    @GuardedBy("lock")
    private boolean closed;

    /** Null until a sync has failed. The syncing thread's own. */
    private StorageException failure;

    /**
     * @param writesMax that wait at a time; beyond it they are refused
     * @param bytesMax of log that these may take together; one larger write may wait alone
     * @param refuseWrites called with the reason when a sync has failed
     */
    GroupCommit(int writesMax, long bytesMax, Consumer<String> refuseWrites) {
        this.writesMax = writesMax;
        this.bytesMax = bytesMax;
        this.refuseWrites = refuseWrites;
        this.thread = Thread.ofPlatform().name(THREAD_NAME).daemon().unstarted(this::work);
    }

    void start() {
        thread.start();
    }

    /**
     * Makes room for a write that is about to be appended. Under the write lock.
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

    /** Has the listener notified when the write is durable. Under the write lock. */
    void add(MemTable written, long logBytes, WriteListener listener) {
        lock.lock();
        try {
            gathering.add(written, logBytes, listener);
            waitingWrites++;
            waitingBytes += logBytes;
            if (gathering.count() == 1) {
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

    /** Waits for writes; answers null if none will come any more. */
    private WriteGroup take() {
        lock.lock();
        try {
            while (gathering.count() == 0 && !closed) {
                arrived.awaitUninterruptibly();
            }
            if (gathering.count() == 0) {
                return null;
            }
            WriteGroup taken = gathering;
            gathering = spare;
            return taken;
        } finally {
            lock.unlock();
        }
    }

    private void giveBack(WriteGroup group) {
        lock.lock();
        try {
            waitingWrites -= group.count();
            waitingBytes -= group.logBytes();
            group.clear();
            spare = group;
        } finally {
            lock.unlock();
        }
    }

    /** Log by log, as they were begun: a later one is worth nothing without those before it. */
    private void commit(WriteGroup group) {
        for (int from = 0; from < group.count(); ) {
            int to = group.endOfLog(from);
            if (failure == null) {
                sync(group.log(from), group.logEnd(to - 1));
            }
            for (int i = from; i < to; i++) {
                notifyListener(group, i);
            }
            from = to;
        }
    }

    private void sync(WriteAheadLog log, long end) {
        try {
            syncCount.incrementAndGet();
            log.sync(end);
        } catch (Throwable e) { // An Error too: those who wait must hear of it.
            failure = outOfMemory;
            failure = failureOf(log, e);
            refuseWrites();
        }
    }

    private void refuseWrites() {
        try {
            refuseWrites.accept(failure.getMessage());
        } catch (Throwable e) { // Then every write that comes fails here.
            report(e);
        }
    }

    private StorageException failureOf(WriteAheadLog log, Throwable e) {
        try {
            return new StorageException(
                    "cannot sync log: file=" + log.records() + ": restart the server", e);
        } catch (OutOfMemoryError _) {
            return outOfMemory;
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
        } catch (Throwable e) { // Against its promise; the next one isn't to blame.
            report(e);
        } finally {
            release(group, index);
        }
    }

    private static void release(WriteGroup group, int index) {
        try {
            group.release(index);
        } catch (Throwable e) { // The memory of that log is not used again.
            report(e);
        }
    }

    private static void report(Throwable e) {
        try {
            LOG.error("what follows a write has failed", e);
        } catch (Throwable _) { // There is no memory even to say so.
        }
    }

    /** How often a log was synced. */
    long syncCount() {
        return syncCount.get();
    }

    /** How many writes wait. */
    int waitingCount() {
        lock.lock();
        try {
            return waitingWrites;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the thread when all that wait are notified. No write may come any more. */
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
