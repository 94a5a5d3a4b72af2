package dht.storage.lsm;

import dht.storage.Dao;
import dht.storage.Durability;
import dht.storage.StorageOptions;
import dht.storage.file.AnonymousMapping;
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
 * Makes memtables, and keeps the log file and the memory of one that is done with for the next: its
 * blocks are reserved, its pages in memory, and no mapping needs to be opened or closed.
 *
 * <p>Thread-safe.
 */
final class MemTablePool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MemTablePool.class);
    private static final long RESERVE_STEP_BYTES_MAX = 1 << 20;
    private static final long RESERVE_STEP_BYTES_MIN = 16 << 10;
    private static final long INDEX_BYTES_MIN = 16 << 10;

    private final StorageDirectory directory;
    private final StorageOptions options;
    private final VersionSet versions;
    private final Executor reclaimer;

    private long newestLog; // Guarded by this.
    private Space unused; // Guarded by this. Kept for the next memtable, or null.
    private boolean closed; // Guarded by this.

    /**
     * @param newestLog number of the newest log that recovery left, or 0
     */
    MemTablePool(
            StorageDirectory directory,
            StorageOptions options,
            VersionSet versions,
            Executor reclaimer,
            long newestLog) {
        this.directory = directory;
        this.options = options;
        this.versions = versions;
        this.reclaimer = reclaimer;
        this.newestLog = newestLog;
    }

    /** Log and index memory of one memtable at a time. */
    private final class Space implements Backing {
        private final WritableMapping log;
        private final Arena indexArena;
        private final MemorySegment index;
        private String logName;

        Space(WritableMapping log, String logName) {
            this.log = log;
            this.logName = logName;
            this.indexArena = Arena.ofShared();
            this.index =
                    indexArena.allocate(
                            Math.max(INDEX_BYTES_MIN, options.memTableBytes() / 2), Long.BYTES);
        }

        @Override
        public void recycle() {
            reclaimer.execute(() -> giveBack(this));
        }

        @Override
        public void detach() {
            reclaimer.execute(this::unmap);
        }

        void unmap() {
            log.close();
            indexArena.close();
        }

        /** Gives the file the name of the log that it holds now, durably. */
        void rename(String newName) throws IOException {
            directory.rename(logName, newName);
            logName = newName;
            directory.sync();
        }
    }

    /**
     * Makes an empty memtable, whose log is durably there.
     *
     * @throws IOException if the disk is full; then there is nothing of it
     */
    synchronized MemTable take() throws IOException {
        long number = versions.nextFileNumber();
        Space space = unused != null ? unused : newSpace(number);
        unused = null;
        try {
            WriteAheadLog log =
                    new WriteAheadLog(
                            space.log, number, newestLog, directory.bootId(), reserveStepBytes());
            if (isOnDisk()) {
                space.rename(LogFiles.name(number));
            }
            newestLog = number;
            boolean showsOnlySynced = options.durability() == Durability.FSYNC;
            return MemTable.create(
                    log, space.index, showsOnlySynced, options.memTableBytes(), space);
        } catch (IOException e) {
            discard(space);
            throw e;
        }
    }

    private Space newSpace(long number) throws IOException {
        String name = LogFiles.newName(number);
        return new Space(
                isOnDisk()
                        ? directory.createMapped(name, capacityBytes())
                        : new AnonymousMapping(capacityBytes()),
                name);
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
        space.unmap();
        if (isOnDisk()) {
            try {
                directory.delete(space.logName);
            } catch (IOException e) {
                LOG.warn(
                        "cannot delete log that is done with: file={}: {}",
                        space.logName,
                        e.toString());
            }
        }
    }

    /** A memtable may take one entry that is larger than all of it should be. */
    private long capacityBytes() {
        long largestEntry =
                WriteAheadLog.START
                        + WriteAheadLog.recordBytes(Dao.MAX_KEY_BYTES, Dao.MAX_VALUE_BYTES);
        return Math.max(options.memTableBytes(), largestEntry);
    }

    private long reserveStepBytes() {
        return Math.clamp(
                options.memTableBytes() / 16, RESERVE_STEP_BYTES_MIN, RESERVE_STEP_BYTES_MAX);
    }

    /** From now on nothing is kept for later. */
    @Override
    public synchronized void close() {
        closed = true;
        if (unused != null) {
            discard(unused);
            unused = null;
        }
    }
}
