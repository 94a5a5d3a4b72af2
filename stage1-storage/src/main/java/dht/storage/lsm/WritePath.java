package dht.storage.lsm;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.storage.Durability;
import dht.storage.StorageException;
import dht.storage.StorageOptions;
import dht.storage.StorageUnavailableException;
import dht.storage.WriteListener;
import dht.storage.file.StorageDirectory;
import dht.storage.log.LogFiles;
import dht.storage.log.WriteAheadLog;
import dht.storage.memtable.MemTable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Adds writes to the log and the memtable. If memtables fill up faster than they are flushed, this
 * class applies back-pressure: first each write is delayed a little, then writes wait, then they
 * are refused.
 *
 * <p>Thread-safe: one write at a time, under {@code lock}. A write that waits for an fsync waits in
 * {@link GroupCommit}, and occupies no thread. Invariants, which hold even if something is thrown:
 *
 * <ol>
 *   <li>The active memtable is the newest one of the current snapshot. So an acknowledged entry is
 *       found by readers, and is flushed before its log is deleted.
 *   <li>The spare memtable belongs to no snapshot. Its log is empty, and exists durably unless the
 *       durability is NONE. While there is no active memtable, there is no spare one either.
 *   <li>Writes wait only while a spare memtable may still arrive. If none has arrived {@code
 *       writeStallMax} after the first of them began to wait, they are refused.
 * </ol>
 */
final class WritePath {
    /**
     * The longest delay of one write while there is no spare memtable and the active one fills up.
     */
    private static final long DELAY_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(1);

    /**
     * The pause between two checks for an obstacle, for a thread that waits without a time limit.
     */
    private static final long OBSTACLE_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** Without a spare memtable, delays begin when this share of the active one is used. */
    private static final double DELAY_FROM_FULLNESS = 0.5;

    private final StorageDirectory directory;
    private final StorageOptions options;
    private final Snapshots snapshots;
    private final Supplier<StorageException> whyNoSpare;
    private final Runnable onRotation;
    private final long recoveredLogEnd;
    private final GroupCommit groupCommit; // Null unless writes wait for a sync.
    private final LongAdder stallCount = new LongAdder();
    private final LongAdder refusalCount = new LongAdder();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition spareArrived = lock.newCondition();

    @GuardedBy("lock")
    private MemTable active; // Null while the disk has no room for a log.

    @GuardedBy("lock")
    private MemTable spare;

    @GuardedBy("lock")
    private String noSpareReason = "";

    @GuardedBy("lock")
    private long stalledSinceNanos;

    @GuardedBy("lock")
    private boolean stalled;

    @GuardedBy("lock")
    private String ended; // Why all writes are refused, or null.

    @GuardedBy("lock")
    private long greatestTimestampMicros;

    /**
     * @param whyNoSpare returns why there is no spare memtable, or null if the only reason is that
     *     all memtables are full
     * @param greatestTimestampMicros the greatest stamp of all versions until now, or 0
     * @param recoveredLogEnd the offset at which the newest recovered log ends, or 0
     * @param onRotation called under the lock when a memtable must be flushed and a spare is
     *     needed; must not fail
     */
    WritePath(
            StorageDirectory directory,
            StorageOptions options,
            Snapshots snapshots,
            Supplier<StorageException> whyNoSpare,
            long greatestTimestampMicros,
            long recoveredLogEnd,
            Runnable onRotation) {
        this.directory = directory;
        this.options = options;
        this.snapshots = snapshots;
        this.whyNoSpare = whyNoSpare;
        this.greatestTimestampMicros = greatestTimestampMicros;
        this.recoveredLogEnd = recoveredLogEnd;
        this.onRotation = onRotation;
        this.groupCommit =
                options.durability() == Durability.FSYNC
                        ? new GroupCommit(
                                directory,
                                options.unsyncedWritesMax(),
                                options.unsyncedBytesMax(),
                                new CommitDelay()::afterSync,
                                this::refuse)
                        : null;
    }

    /**
     * Writes one entry.
     *
     * @param value null for a tombstone
     * @param listener is notified when the write is durable: before this returns, unless the write
     *     waits for a sync
     * @throws StorageUnavailableException if the write was refused; nothing was written then
     */
    void write(byte[] key, MemorySegment value, long timestampMicros, WriteListener listener) {
        long delayNanos;
        lock.lock();
        try {
            put(key, value, timestampMicros, listener);
            delayNanos = delayNanos();
            greatestTimestampMicros = Math.max(greatestTimestampMicros, timestampMicros);
        } catch (StorageUnavailableException e) {
            refusalCount.increment();
            throw e;
        } finally {
            lock.unlock();
        }
        if (delayNanos > 0) {
            LockSupport.parkNanos(delayNanos);
        }
        if (groupCommit == null) {
            listener.durable();
        }
    }

    @GuardedBy("lock")
    private void put(
            byte[] key, MemorySegment value, long timestampMicros, WriteListener listener) {
        while (active == null || !tryPut(key, value, timestampMicros, listener)) {
            if (spare != null) {
                rotate();
            } else {
                stall();
            }
        }
    }

    /**
     * Writes to the active memtable; returns false if it is full. The record and its listener are
     * added under the same lock, so the listeners wait in the order of the log.
     */
    @GuardedBy("lock")
    private boolean tryPut(
            byte[] key, MemorySegment value, long timestampMicros, WriteListener listener) {
        refuseIfEnded();
        long logBytes =
                WriteAheadLog.recordBytes(key.length, value == null ? 0 : (int) value.byteSize());
        if (groupCommit != null) {
            groupCommit.reserve(logBytes);
        }
        try {
            if (active.put(key, value, timestampMicros) == WriteAheadLog.NO_ROOM) {
                return false;
            }
        } catch (IOException e) {
            throw new StorageUnavailableException(
                    diskTrouble("cannot extend log: file=" + active.log().records(), e));
        }
        if (groupCommit != null) {
            groupCommit.add(active, logBytes, listener);
        }
        return true;
    }

    /**
     * Makes the spare memtable the active one. Writes may still wait for a sync of the old log. The
     * old log is synced before the new one.
     */
    @GuardedBy("lock")
    private void rotate() {
        spare.log().begin(active == null ? recoveredLogEnd : active.log().appendedUpTo());
        WriteAheadLog former = active == null ? null : active.log();
        boolean isAdded = false;
        try {
            if (former != null) { // Before the swap: after it, a flush may unmap this log.
                former.linkNext(spare.log());
            }
            snapshots.addMemTable(spare); // If this fails, nothing has changed.
            isAdded = true;
        } finally {
            if (!isAdded && former != null) {
                former.unlinkNext();
            }
        }
        active = spare;
        spare = null;
        onRotation.run();
    }

    /**
     * Waits for a spare memtable, at most until {@code writeStallMax} has passed since the first
     * write began to wait. When this returns, another thread may already have taken the spare.
     */
    @GuardedBy("lock")
    private void stall() {
        if (!stalled) {
            stalled = true;
            stalledSinceNanos = System.nanoTime();
            stallCount.increment();
        }
        long leftNanos =
                options.writeStallMax().toNanos() - (System.nanoTime() - stalledSinceNanos);
        if (leftNanos <= 0) {
            throw new StorageUnavailableException(whyFull());
        }
        awaitSpare(leftNanos);
    }

    @GuardedBy("lock")
    private String whyFull() {
        if (!noSpareReason.isEmpty()) {
            return noSpareReason;
        }
        String full = "no memtable is free: memtables=" + snapshots.memTableCount();
        return switch (whyNoSpare.get()) {
            case null -> full + ": flushing cannot keep up: send fewer writes";
            case StorageException failure when failure.getCause() instanceof IOException ->
                    diskTrouble(full, failure);
            case StorageException failure when failure.getCause() instanceof StorageException ->
                    full + ": " + failure.getMessage(); // Which says what to do.
            case StorageException failure ->
                    full
                            + ": "
                            + failure.getMessage()
                            + ": remove this cause; writes are then accepted again";
        };
    }

    /** The message for a writer while the disk is full or broken. */
    private String diskTrouble(String what, Exception reason) {
        return what
                + " path="
                + directory
                + ": "
                + reason.getMessage()
                + ": make room on that disk, or repair it; writes are then accepted again";
    }

    @GuardedBy("lock")
    private void awaitSpare(long nanosMax) {
        refuseIfEnded();
        if (!noSpareReason.isEmpty()) {
            throw new StorageUnavailableException(noSpareReason);
        }
        try {
            long unused = spareArrived.awaitNanos(nanosMax);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StorageUnavailableException("interrupted while waiting for a memtable");
        }
    }

    @GuardedBy("lock")
    private void refuseIfEnded() {
        if (ended != null) {
            throw new StorageUnavailableException(ended);
        }
    }

    @GuardedBy("lock")
    private long delayNanos() {
        if (spare != null || active.fullness() < DELAY_FROM_FULLNESS) {
            return 0;
        }
        double urgency = (active.fullness() - DELAY_FROM_FULLNESS) / (1 - DELAY_FROM_FULLNESS);
        return (long) (Math.min(1, urgency) * DELAY_NANOS_MAX);
    }

    /** Whether another memtable must be prepared. */
    boolean wantsSpare() {
        lock.lock();
        try {
            return spare == null && ended == null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Stores a spare memtable for later use, or makes it the active one if there is none. Takes
     * over the caller's reference to it. If this fails, the memtable is discarded.
     */
    void offerSpare(MemTable memTable) {
        lock.lock();
        try {
            if (ended != null) {
                discard(memTable);
                return;
            }
            spare = memTable;
            if (active == null) {
                rotateOrDiscard();
            }
            noSpareReason = "";
            stalled = false;
            spareArrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Makes the spare memtable the first active one; if that fails, discards it. A later write must
     * not use it: as long as no snapshot contains it, a manifest may be stored that says that its
     * log is obsolete.
     */
    @GuardedBy("lock")
    private void rotateOrDiscard() {
        MemTable first = spare;
        try {
            rotate();
        } finally {
            if (active == null) {
                spare = null;
                deleteLog(first);
            }
        }
    }

    /**
     * Discards a memtable together with its file. The file must not be used for another log: a
     * manifest may already say that the next start reads the log of this number.
     */
    private void deleteLog(MemTable unused) {
        unused.release(); // If its log were marked as obsolete, the pool would use the file again.
        try {
            directory.delete(LogFiles.name(unused.logNumber()));
        } catch (IOException | OutOfMemoryError _) { // The log is empty. The next start deletes it.
        }
    }

    private static void discard(MemTable unused) {
        unused.markLogObsolete();
        unused.release();
    }

    /**
     * Called when no spare memtable can be created now. Writes that need one are refused at once,
     * until a spare arrives.
     */
    void refuseUntilSpare(IOException reason) {
        lock.lock();
        try {
            noSpareReason = diskTrouble("cannot begin a log:", reason);
            spareArrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Replaces the active memtable if it has entries. Then these entries can be flushed. Waits for
     * a spare memtable while flushing is possible.
     *
     * @param obstacle returns why memtables can't be flushed, or null while they can
     * @throws StorageException if memtables can't be flushed: the obstacle
     * @throws StorageUnavailableException if writes are refused, or if no spare memtable can be
     *     created now
     */
    void rotateIfUsed(Supplier<StorageException> obstacle) {
        lock.lock();
        try {
            refuseIfEnded();
            MemTable used = active;
            while (active == used && used != null && used.entryCount() > 0) {
                StorageException failure = obstacle.get();
                if (spare != null) {
                    rotate();
                } else if (failure != null) {
                    throw failure;
                } else {
                    awaitSpare(OBSTACLE_CHECK_NANOS);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Refuses all further writes. The active memtable stays in the snapshot. */
    void refuse(String reason) {
        lock.lock();
        try {
            ended = reason;
            MemTable unused = spare;
            spare = null;
            spareArrived.signalAll();
            if (unused != null) { // Last, because it may fail.
                discard(unused);
            }
        } finally {
            lock.unlock();
        }
    }

    long greatestTimestampMicros() {
        lock.lock();
        try {
            return greatestTimestampMicros;
        } finally {
            lock.unlock();
        }
    }

    /** Starts the thread that syncs the log. */
    void start() {
        if (groupCommit != null) {
            groupCommit.start();
        }
    }

    /** Refuses all further writes, and waits until all waiting listeners are notified. */
    void close(String reason) {
        refuse(reason);
        if (groupCommit != null) {
            groupCommit.close();
        }
    }

    /** How many syncs of a log have begun. */
    long syncCount() {
        return groupCommit == null ? 0 : groupCommit.syncCount();
    }

    /** How many writes wait for a sync. */
    int unsyncedCount() {
        return groupCommit == null ? 0 : groupCommit.waitingCount();
    }

    /**
     * How often writes began to wait for a spare memtable. Writes that wait for the same one count
     * once.
     */
    long stallCount() {
        return stallCount.sum();
    }

    /** How many writes were refused. */
    long refusalCount() {
        return refusalCount.sum();
    }
}
