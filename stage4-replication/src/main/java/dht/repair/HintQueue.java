package dht.repair;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.storage.CorruptionException;
import dht.storage.file.StorageDirectory;
import dht.storage.log.LogFiles;
import dht.storage.log.WriteAheadLog;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Deque;
import java.util.LinkedList;
import java.util.List;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hints for one node, on disk, in the order in which they were added. A hint stays on disk
 * until it is removed, even if the process is killed. A hint that was removed shortly before the
 * process was killed may be delivered again, which has no effect.
 *
 * <p>Thread-safe. Invariants, which hold even if something is thrown:
 *
 * <ol>
 *   <li>A hint is added completely or not at all.
 *   <li>Hints are read in the order of the files' numbers. Only the last file is written.
 *   <li>Until the queue is closed, the bytes taken from the budget are those of the hints in the
 *       files, and of the hint that is being added.
 * </ol>
 */
final class HintQueue implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HintQueue.class);

    /**
     * The size of a file, unless a single hint needs more. After a kill, the delivered hints of at
     * most one file are delivered again.
     */
    private static final long FILE_BYTES = 8 << 20;

    private static final long KEPT_BYTES = 1 << 20;

    private final StorageDirectory directory;
    private final DiskBudget diskBudget;
    private final RepairCounts counts;

    /**
     * Not an ArrayDeque: if there is no memory to enlarge an ArrayDeque, it looks empty afterwards.
     */
    @GuardedBy("this")
    @SuppressWarnings("JdkObsolete")
    private final Deque<HintFile> files = new LinkedList<>();

    @GuardedBy("this")
    private long nextNumber = 1;

    @GuardedBy("this")
    private boolean isFailing; // Whether a failure was logged.

    @GuardedBy("this")
    private boolean isClosed;

    /**
     * Opens the hints that an earlier process has left.
     *
     * @param directory a directory that only this queue uses; closed with the queue, and also if
     *     opening fails
     * @param diskBudget the limit in bytes for all queues together
     */
    static HintQueue open(StorageDirectory directory, DiskBudget diskBudget, RepairCounts counts)
            throws IOException {
        HintQueue queue = null;
        boolean isOpen = false;
        try {
            queue = new HintQueue(directory, diskBudget, counts);
            queue.recover();
            isOpen = true;
            return queue;
        } finally {
            if (queue == null) {
                directory.close();
            } else if (!isOpen) {
                queue.close();
            }
        }
    }

    private HintQueue(StorageDirectory directory, DiskBudget diskBudget, RepairCounts counts) {
        this.directory = directory;
        this.diskBudget = diskBudget;
        this.counts = counts;
    }

    private synchronized void recover() throws IOException {
        List<String> names = directory.list();
        for (String name : names) {
            if (name.endsWith(LogFiles.NEW_SUFFIX)) {
                directory.delete(name);
            }
        }
        long[] numbers =
                names.stream()
                        .map(LogFiles::number)
                        .filter(OptionalLong::isPresent)
                        .mapToLong(OptionalLong::getAsLong)
                        .sorted()
                        .toArray();
        for (long number : numbers) {
            nextNumber = number + 1;
            recover(number);
        }
    }

    @GuardedBy("this")
    private void recover(long number) throws IOException {
        try {
            HintFile file = HintFile.open(directory, number, this::noteDamage);
            if (file.isEmpty()) {
                delete(file);
            } else {
                keep(file);
                diskBudget.take(file.bytes());
            }
        } catch (CorruptionException e) {
            // The header is damaged, so no part of the file can be used.
            noteDamage(e);
            directory.delete(LogFiles.name(number));
        }
    }

    private void noteDamage(CorruptionException why) {
        counts.hintsDamaged();
        LOG.error(
                "hints are lost: path={}: {}: any hints before the damage are kept",
                directory,
                why.getMessage());
    }

    /**
     * Adds a hint. If there is no room, or if adding fails, the hint is lost, and counted as lost.
     * May wait for the disk when a file is created, or when blocks are reserved for it.
     *
     * @param value null for a tombstone
     */
    void add(byte[] key, MemorySegment value, long timestampMicros) {
        int valueBytes = value == null ? 0 : (int) value.byteSize();
        long bytes = WriteAheadLog.recordBytes(key.length, valueBytes);
        if (!diskBudget.tryTake(bytes)) {
            counts.hintWithoutRoom();
            return;
        }
        boolean isAdded = false;
        try {
            isAdded = tryAdd(key, value, timestampMicros, bytes);
        } catch (IOException | OutOfMemoryError e) {
            noteFailure(e);
        } finally {
            if (!isAdded) {
                diskBudget.giveBack(bytes);
                counts.hintFailed();
            }
        }
        if (isAdded) {
            counts.hintStored();
        }
    }

    private synchronized boolean tryAdd(
            byte[] key, MemorySegment value, long timestampMicros, long bytes) throws IOException {
        if (isClosed) {
            return false;
        }
        boolean isAdded =
                !files.isEmpty() && files.getLast().tryAppend(key, value, timestampMicros);
        if (!isAdded) {
            addFile(bytes);
            isAdded = files.getLast().tryAppend(key, value, timestampMicros);
        }
        isFailing = false;
        notifyAll();
        return isAdded;
    }

    @GuardedBy("this")
    private void addFile(long bytesMin) throws IOException {
        // Each attempt has its own number: the file of a failed attempt may still be there.
        long number = nextNumber++;
        long recordBytes = Math.max(FILE_BYTES - WriteAheadLog.START, bytesMin);
        keep(HintFile.create(directory, number, recordBytes));
    }

    @GuardedBy("this")
    private void keep(HintFile file) {
        boolean isKept = false;
        try {
            isKept = files.add(file);
        } finally {
            if (!isKept) {
                file.close();
            }
        }
    }

    private void noteFailure(Throwable e) {
        synchronized (this) {
            if (isFailing) {
                return;
            }
            isFailing = true;
        }
        try {
            LOG.warn("cannot store hints: path={}: {}: they are lost", directory, e.toString());
        } catch (OutOfMemoryError _) {
            // It is counted.
        }
    }

    /** Waits until there is a hint, and returns the oldest one. */
    synchronized Copy awaitOldest() throws InterruptedException {
        Copy oldest = tryPeek();
        while (oldest == null) {
            wait();
            oldest = tryPeek();
        }
        return oldest;
    }

    /** Returns the oldest hint, or null if there is none. */
    @GuardedBy("this")
    private Copy tryPeek() {
        dropUsed();
        while (!files.isEmpty() && !files.getFirst().isEmpty()) {
            HintFile first = files.getFirst();
            try {
                return first.peek();
            } catch (CorruptionException e) {
                noteDamage(e);
                diskBudget.giveBack(first.bytes());
                first.clear();
                dropUsed();
            }
        }
        return null;
    }

    /** Removes the oldest hint. It must have been read before. */
    synchronized void removeOldest() {
        HintFile first = files.getFirst();
        long before = first.bytes();
        first.remove();
        diskBudget.giveBack(before - first.bytes());
        dropUsed();
    }

    /**
     * Deletes files without hints. The last file is kept until more than {@link #KEPT_BYTES} of it
     * are used. Otherwise each hint would need a new file if a node misses only a single write from
     * time to time.
     */
    @GuardedBy("this")
    private void dropUsed() {
        while (!files.isEmpty()
                && files.getFirst().isEmpty()
                && (files.size() > 1 || files.getFirst().usedBytes() > KEPT_BYTES)) {
            delete(files.removeFirst());
        }
    }

    private void delete(HintFile first) {
        try {
            first.delete();
        } catch (IOException e) {
            // Its hints are delivered again after a restart, which has no effect.
            LOG.warn("cannot delete hints: path={}: {}", directory, e.toString());
        }
    }

    synchronized long count() {
        return files.stream().mapToLong(HintFile::count).sum();
    }

    /** Closes the files. The hints stay on disk. */
    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            try (directory) {
                while (!files.isEmpty()) {
                    HintFile file = files.removeFirst();
                    if (file.isEmpty()) {
                        delete(file);
                    } else {
                        file.close();
                    }
                }
            }
        }
    }
}
