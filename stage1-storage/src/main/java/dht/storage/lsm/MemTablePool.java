package dht.storage.lsm;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.storage.Dao;
import dht.storage.Durability;
import dht.storage.StorageOptions;
import dht.storage.file.StorageDirectory;
import dht.storage.file.WritableMapping;
import dht.storage.log.LogFiles;
import dht.storage.log.WriteAheadLog;
import dht.storage.memtable.Backing;
import dht.storage.memtable.MemTable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates memtables. It keeps the log file and the memory of one unused memtable for the next one.
 * That saves time: the file's blocks are already reserved, its pages are in memory, and no file
 * must be mapped or unmapped.
 *
 * <p>Thread-safe. Invariants, which hold even if something is thrown:
 *
 * <ol>
 *   <li>A space is unused, or belongs to one memtable, or is freed. When a space is freed, its file
 *       is deleted, unless the next process needs the log in that file.
 *   <li>Each new log stores the log of the newest memtable in use as the log before it. So the next
 *       start notices if that log is missing.
 *   <li>Giving a space back does not fail for lack of memory: the actions for it are created
 *       together with the space.
 * </ol>
 */
final class MemTablePool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MemTablePool.class);
    private static final long RESERVE_STEP_BYTES_MAX = 1 << 20;
    private static final long INDEX_BYTES_MIN = 16 << 10;

    private final StorageDirectory directory;
    private final StorageOptions options;
    private final Snapshots snapshots;
    private final Executor reclaimer;

    @GuardedBy("this")
    private Space unused; // Kept for the next memtable, or null.

    @GuardedBy("this")
    private boolean closed;

    MemTablePool(
            StorageDirectory directory,
            StorageOptions options,
            Snapshots snapshots,
            Executor reclaimer) {
        this.directory = directory;
        this.options = options;
        this.snapshots = snapshots;
        this.reclaimer = reclaimer;
    }

    /** The memory of the log and the index, for one memtable at a time. */
    private final class Space implements Backing {
        private final WritableMapping log;
        private final Arena indexArena;
        private final MemorySegment index;
        private final Runnable givingBack = () -> giveBack(this);
        private final Runnable unmapping = this::unmap;
        private String logName;

        /**
         * @param log closed with this space; if this constructor fails, the caller must close it
         */
        Space(WritableMapping log, String logName) {
            this.log = log;
            this.logName = logName;
            this.indexArena = Arena.ofShared();
            try {
                this.index =
                        indexArena.allocate(
                                Math.max(INDEX_BYTES_MIN, options.memTableBytes() / 2), Long.BYTES);
            } catch (RuntimeException | Error e) {
                indexArena.close();
                throw e;
            }
        }

        @Override
        public void recycle() {
            reclaimer.execute(givingBack);
        }

        @Override
        public void detach() {
            reclaimer.execute(unmapping);
        }

        void unmap() {
            try {
                log.close();
            } finally {
                indexArena.close();
            }
        }

        /** Renames the file durably to the name of the log that it now contains. */
        void rename(String newName) throws IOException {
            directory.rename(logName, newName);
            logName = newName;
            directory.sync();
        }
    }

    /**
     * Creates an empty memtable. Its log exists durably, unless the durability is NONE. Call this
     * only after the memtable of the last call was put to use or discarded.
     *
     * @throws IOException if the disk is full; nothing is left on disk then
     */
    synchronized MemTable take() throws IOException {
        long previousLog = snapshots.newestLog();
        long number = snapshots.nextFileNumber();
        Space space = unused != null ? unused : newSpace(number);
        unused = null;
        boolean isTaken = false;
        try {
            WriteAheadLog log =
                    new WriteAheadLog(
                            space.log, number, previousLog, directory.bootId(), reserveStepBytes());
            if (isOnDisk()) {
                log.syncHeader();
                space.rename(LogFiles.name(number));
            }
            MemTable made =
                    MemTable.create(
                            log,
                            space.index,
                            options.durability() == Durability.FSYNC,
                            options.memTableBytes(),
                            space);
            isTaken = true;
            return made;
        } finally {
            if (!isTaken) {
                discard(space);
            }
        }
    }

    private Space newSpace(long number) throws IOException {
        if (!isOnDisk()) {
            return newSpace(directory.createUnnamed(capacityBytes()), "");
        }
        String name = LogFiles.newName(number);
        return newSpace(directory.createMapped(name, capacityBytes()), name);
    }

    private Space newSpace(WritableMapping log, String name) {
        try {
            return new Space(log, name);
        } catch (RuntimeException | Error e) {
            log.close();
            delete(name);
            throw e;
        }
    }

    private boolean isOnDisk() {
        return options.durability() != Durability.NONE;
    }

    private synchronized void giveBack(Space space) {
        if (unused == null && !closed) {
            unused = space;
        } else {
            discard(space);
        }
    }

    private void discard(Space space) {
        try {
            space.unmap();
        } finally {
            delete(space.logName);
        }
    }

    private void delete(String logName) {
        if (isOnDisk()) {
            try {
                directory.delete(logName);
            } catch (IOException e) {
                LOG.warn("cannot delete obsolete log: file={}: {}", logName, e.toString());
            } catch (OutOfMemoryError _) { // Nothing else is lost: the next start deletes the file.
            }
        }
    }

    /** A log has room for at least one entry of any size, even if the memtable limit is smaller. */
    private long capacityBytes() {
        long largestEntry = WriteAheadLog.recordBytes(Dao.MAX_KEY_BYTES, Dao.MAX_VALUE_BYTES);
        return WriteAheadLog.capacityBytes(
                Math.max(options.memTableBytes() - WriteAheadLog.START, largestEntry));
    }

    private long reserveStepBytes() {
        long wanted = Math.clamp(options.memTableBytes() / 16, 0, RESERVE_STEP_BYTES_MAX);
        long units = Math.ceilDiv(Math.max(1, wanted), WriteAheadLog.RESERVE_UNIT_BYTES);
        return units * WriteAheadLog.RESERVE_UNIT_BYTES;
    }

    /** Frees the unused space. After this, no space is kept. */
    @Override
    public synchronized void close() {
        closed = true;
        Space last = unused;
        unused = null;
        if (last != null) {
            discard(last);
        }
    }
}
