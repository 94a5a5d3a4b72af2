package dht.storage.lsm;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.storage.Durability;
import dht.storage.StorageException;
import dht.storage.StorageOptions;
import dht.storage.StorageUnavailableException;
import dht.storage.WriteListener;
import dht.storage.file.StorageDirectory;
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
 * How a write gets into the log and the memtable, and what happens when memtables fill up faster
 * than they are flushed: first each write is delayed a little, then writes wait, then they are
 * refused.
 *
 * <p>Thread-safe: one write at a time, under {@code lock}; a write that waits for an fsync waits in
 * {@link GroupCommit}, and holds no thread. What holds, whatever is thrown:
 *
 * <ol>
 *   <li>The active memtable is the newest of the version in force: what is acknowledged is found,
 *       and is flushed before its log goes.
 *   <li>The spare memtable belongs to no version, and its log is durably there, and empty.
 *   <li>Writes wait only while a spare may come, and no longer than {@code writeStallMax}.
 * </ol>
 */
final class WritePath {
    /**
     * The most that a single write is delayed while flushing is behind and the last memtable fills
     * up.
     */
    private static final long DELAY_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(1);

    /** How often a thread that waits without limit looks whether there is still hope. */
    private static final long OBSTACLE_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** Delays begin when this share of the last memtable is used. */
    private static final double DELAY_FROM_FULLNESS = 0.5;

    private final StorageDirectory directory;
    private final StorageOptions options;
    private final VersionSet versions;
    private final Supplier<StorageException> obstacle;
    private final Runnable onRotation;
    private final long recoveredLogEnd;
    private final GroupCommit groupCommit; // Null unless writes wait for a sync.
    private final LongAdder stallCount = new LongAdder();
    private final LongAdder refusalCount = new LongAdder();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition spareArrived = lock.newCondition();

    @GuardedBy("lock")
    private MemTable active; // Null while the disk is too full for even one log.

    @GuardedBy("lock")
    private MemTable spare;

    @GuardedBy("lock")
    private String noSpareReason = "";

    @GuardedBy("lock")
    private long stalledSinceNanos;

    @GuardedBy("lock")
    private boolean stalled;

    @GuardedBy("lock")
    private String ended; // Why no write is taken any more, or null.

    @GuardedBy("lock")
    private long greatestTimestampMicros;

    /**
     * @param obstacle why memtables can't be flushed, or null as long as they can
     * @param recoveredLogEnd where the newest log ends that was recovered, or 0
     * @param onRotation called, under the lock, when a memtable waits to be flushed and a spare is
     *     wanted; must not fail
     */
    WritePath(
            StorageDirectory directory,
            StorageOptions options,
            VersionSet versions,
            Supplier<StorageException> obstacle,
            long greatestTimestampMicros,
            long recoveredLogEnd,
            Runnable onRotation) {
        this.directory = directory;
        this.options = options;
        this.versions = versions;
        this.obstacle = obstacle;
        this.greatestTimestampMicros = greatestTimestampMicros;
        this.recoveredLogEnd = recoveredLogEnd;
        this.onRotation = onRotation;
        this.groupCommit =
                options.durability() == Durability.FSYNC
                        ? new GroupCommit(
                                options.unsyncedWritesMax(),
                                options.unsyncedBytesMax(),
                                this::refuse)
                        : null;
    }

    /**
     * Writes one entry.
     *
     * @param value null for a tombstone
     * @param listener is notified when the write is durable: before this returns, unless the write
     *     waits for a sync
     * @throws StorageUnavailableException if it was refused, and left no trace
     */
    void write(byte[] key, MemorySegment value, long timestampMicros, WriteListener listener) {
        long delayNanos;
        lock.lock();
        try {
            put(key, value, timestampMicros, listener);
            delayNanos = delayNanos();
            greatestTimestampMicros = Math.max(greatestTimestampMicros, timestampMicros);
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
     * Answers false if the active memtable is full. Has the listener wait together with the record:
     * the write lock is not let go in between.
     */
    @GuardedBy("lock")
    private boolean tryPut(
            byte[] key, MemorySegment value, long timestampMicros, WriteListener listener) {
        refuseIfEnded();
        long logBytes =
                WriteAheadLog.recordBytes(key.length, value == null ? 0 : (int) value.byteSize());
        if (groupCommit != null) {
            reserve(logBytes);
        }
        try {
            if (active.put(key, value, timestampMicros) == WriteAheadLog.NO_ROOM) {
                return false;
            }
        } catch (IOException e) {
            throw refusal(diskTrouble("cannot extend log: file=" + active.log().records(), e));
        }
        if (groupCommit != null) {
            groupCommit.add(active, logBytes, listener);
        }
        return true;
    }

    private void reserve(long logBytes) {
        try {
            groupCommit.reserve(logBytes);
        } catch (StorageUnavailableException e) {
            refusalCount.increment();
            throw e;
        }
    }

    /**
     * Puts the spare memtable in place of the active one. Writes may still wait for a sync of the
     * active one's log: that comes before any sync of the next.
     */
    @GuardedBy("lock")
    private void rotate() {
        spare.log().begin(active == null ? recoveredLogEnd : active.log().appendedUpTo());
        versions.addMemTable(spare); // Fails whole, or nothing below does.
        if (active != null) {
            active.log().endBefore(spare.log());
        }
        active = spare;
        spare = null;
        onRotation.run();
    }

    /**
     * Waits for a spare memtable, as long as writes may stall: another thread may have taken it
     * when this returns.
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
            throw refusal(whyFull());
        }
        awaitSpare(leftNanos);
    }

    @GuardedBy("lock")
    private String whyFull() {
        if (!noSpareReason.isEmpty()) {
            return noSpareReason;
        }
        String full =
                "memtables are full and flushing cannot keep up: memtables="
                        + versions.memTableCount();
        return switch (obstacle.get()) {
            case null -> full;
            case StorageException failure when failure.getCause() instanceof IOException ->
                    diskTrouble(full, failure);
            case StorageException failure -> full + ": " + failure.getMessage();
        };
    }

    /** What a writer is told while the disk doesn't take what has to be written. */
    private String diskTrouble(String what, Exception reason) {
        return what
                + " path="
                + directory
                + ": "
                + reason.getMessage()
                + ": make room on that disk, or repair it; writes then go on by themselves";
    }

    @GuardedBy("lock")
    private void awaitSpare(long nanosMax) {
        refuseIfEnded();
        if (!noSpareReason.isEmpty()) {
            throw refusal(noSpareReason);
        }
        try {
            long unused = spareArrived.awaitNanos(nanosMax);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw refusal("interrupted while waiting for a memtable");
        }
    }

    @GuardedBy("lock")
    private void refuseIfEnded() {
        if (ended != null) {
            throw refusal(ended);
        }
    }

    private StorageUnavailableException refusal(String reason) {
        refusalCount.increment();
        return new StorageUnavailableException(reason);
    }

    @GuardedBy("lock")
    private long delayNanos() {
        if (spare != null || active.fullness() < DELAY_FROM_FULLNESS) {
            return 0;
        }
        double urgency = (active.fullness() - DELAY_FROM_FULLNESS) / (1 - DELAY_FROM_FULLNESS);
        return (long) (Math.min(1, urgency) * DELAY_NANOS_MAX);
    }

    /** Whether another memtable should be made ready. */
    boolean wantsSpare() {
        lock.lock();
        try {
            return spare == null && ended == null;
        } finally {
            lock.unlock();
        }
    }

    /** Hands in a memtable for later use; it is taken over. */
    void offerSpare(MemTable memTable) {
        lock.lock();
        try {
            if (ended != null) {
                discard(memTable);
                return;
            }
            spare = memTable;
            noSpareReason = "";
            stalled = false;
            spareArrived.signalAll();
            if (active == null) {
                rotate(); // If that fails, the next write tries again.
            }
        } finally {
            lock.unlock();
        }
    }

    private static void discard(MemTable unused) {
        unused.markLogObsolete();
        unused.release();
    }

    /**
     * Says that there will be no spare memtable for the time being: writes that need one are
     * refused at once.
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
     * Makes what is in the active memtable ready to be flushed, waiting for a spare one as long as
     * there is hope.
     *
     * @param obstacle why memtables can't be flushed, or null as long as they can
     * @throws StorageException that obstacle
     * @throws StorageUnavailableException if no other memtable can take its place
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

    /** Refuses every write from now on. The active memtable stays in the version. */
    void refuse(String reason) {
        lock.lock();
        try {
            ended = reason;
            if (spare != null) {
                discard(spare);
                spare = null;
            }
            spareArrived.signalAll();
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

    /** Begins to notify those who wait for a sync. */
    void start() {
        if (groupCommit != null) {
            groupCommit.start();
        }
    }

    /** Refuses every write from now on, and returns when every one that waited is notified. */
    void close(String reason) {
        refuse(reason);
        if (groupCommit != null) {
            groupCommit.close();
        }
    }

    /** How often writes were synced. */
    long syncCount() {
        return groupCommit == null ? 0 : groupCommit.syncCount();
    }

    /** How many writes wait for a sync. */
    int unsyncedCount() {
        return groupCommit == null ? 0 : groupCommit.waitingCount();
    }

    long stallCount() {
        return stallCount.sum();
    }

    long refusalCount() {
        return refusalCount.sum();
    }
}
