package dht.repair;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.storage.CorruptionException;
import dht.storage.file.StorageDirectory;
import dht.storage.log.LogFiles;
import dht.storage.log.WriteAheadLog;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hints for one node, on disk, in the order in which they came. One that was added is there
 * until it is removed, also when the process is killed; one that was removed shortly before a kill
 * may come again, which changes nothing.
 *
 * <p>Thread-safe. Invariants, whatever is thrown:
 *
 * <ol>
 *   <li>A hint is added whole or not at all.
 *   <li>Hints are read in the order of the files' numbers. Only the last file is written.
 *   <li>Of the budget exactly the bytes of the hints in the files are taken.
 * </ol>
 */
final class HintQueue implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HintQueue.class);

    /** What was delivered is delivered again after a kill, up to so much. */
    private static final long FILE_BYTES = 8 << 20;

    private static final long KEPT_BYTES = 1 << 20;

    private final StorageDirectory directory;
    private final DiskBudget diskBudget;
    private final RepairCounts counts;

    @GuardedBy("this")
    private final Deque<HintFile> files = new ArrayDeque<>();

    @GuardedBy("this")
    private long nextNumber = 1;

    @GuardedBy("this")
    private boolean isFailing; // The log was told so.

    @GuardedBy("this")
    private boolean isClosed;

    /**
     * Opens the hints that an earlier process has left.
     *
     * @param directory of this queue alone; closed along with it, and if this fails
     * @param diskBudget bytes of hints, of all queues together
     */
    static HintQueue open(StorageDirectory directory, DiskBudget diskBudget, RepairCounts counts)
            throws IOException {
        HintQueue queue = new HintQueue(directory, diskBudget, counts);
        boolean isOpen = false;
        try {
            queue.recover();
            isOpen = true;
            return queue;
        } finally {
            if (!isOpen) {
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
                files.add(file);
                diskBudget.take(file.bytes());
            }
        } catch (CorruptionException e) { // Of the header: nothing in it can be believed.
            noteDamage(e);
            directory.delete(LogFiles.name(number));
        }
    }

    private void noteDamage(CorruptionException why) {
        counts.hintsDamaged();
        LOG.error(
                "hints are lost: path={}: {}: the ones before are kept",
                directory,
                why.getMessage());
    }

    /**
     * Adds a hint. Where there is no room for it, it is counted, and that is all.
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
        HintFile file = HintFile.create(directory, nextNumber, Math.max(FILE_BYTES, bytesMin));
        nextNumber++;
        files.add(file);
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

    /** The oldest hint; waits until there is one. */
    synchronized Copy awaitOldest() throws InterruptedException {
        Copy oldest = tryPeek();
        while (oldest == null) {
            wait();
            oldest = tryPeek();
        }
        return oldest;
    }

    /** Null if there is none. */
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

    /** Removes the oldest hint, which was read. */
    synchronized void removeOldest() {
        HintFile first = files.getFirst();
        long before = first.bytes();
        first.remove();
        diskBudget.giveBack(before - first.bytes());
        dropUsed();
    }

    /**
     * Deletes files of which no hint is left. The last one goes on being used for a while: else a
     * node that now and then misses a single write would have a file made for each.
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
        } catch (IOException e) { // Read again after a restart, which changes nothing.
            LOG.warn("cannot delete hints: path={}: {}", directory, e.toString());
        }
    }

    synchronized long count() {
        return files.stream().mapToLong(HintFile::count).sum();
    }

    /** The hints stay. */
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
