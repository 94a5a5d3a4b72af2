package dht.repair;

import dht.storage.CorruptionException;
import dht.storage.EntryView;
import dht.storage.file.MappedFile;
import dht.storage.file.StorageDirectory;
import dht.storage.file.WritableMapping;
import dht.storage.log.LogFiles;
import dht.storage.log.LogRecords;
import dht.storage.log.LogReplay;
import dht.storage.log.WriteAheadLog;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * One file of hints, written and read from front to back. It has the format of the storage's
 * write-ahead log, {@code dht.storage.log.LogLayout}. A hint is appended to mapped memory, which
 * belongs to the operating system, so it survives when the process is killed. Nothing is synced, so
 * adding a hint does not wait until the hint is on the disk. It may wait for the disk in two cases:
 * when a file is created, and when blocks are reserved for more hints. Both are rare. Long waits
 * would do harm, because the thread that adds a hint may also serve many other requests. When the
 * machine loses power, hints may be lost that the operating system has not written to the disk. An
 * incomplete hint, left by a crash or a full disk, is ignored. A file of an earlier process is only
 * read.
 *
 * <p>Not thread-safe. Invariants, which hold even if something is thrown:
 *
 * <ol>
 *   <li>{@code START <= position <= end}. At {@code position} a complete hint begins, unless it
 *       equals {@code end}.
 *   <li>There are {@code count} hints between {@code position} and {@code end}.
 * </ol>
 */
final class HintFile implements AutoCloseable {
    private final StorageDirectory directory;
    private final long number;
    private final MappedFile mapping;
    private final LogRecords records;
    private final WriteAheadLog log; // Null if the file is only read.
    private final EntryView entry = new EntryView();

    private long position = WriteAheadLog.START;
    private long end = WriteAheadLog.START;
    private long count;

    private HintFile(
            StorageDirectory directory,
            long number,
            MappedFile mapping,
            LogRecords records,
            WriteAheadLog log) {
        this.directory = directory;
        this.number = number;
        this.mapping = mapping;
        this.records = records;
        this.log = log;
    }

    /**
     * Creates a new file. It gets its final name only after its header is complete.
     *
     * @param recordBytes how many bytes of hints the file can contain at least
     * @throws IOException if the file cannot be created, for example because the disk is full;
     *     there is no such file then
     */
    static HintFile create(StorageDirectory directory, long number, long recordBytes)
            throws IOException {
        String newName = LogFiles.newName(number);
        WritableMapping mapping =
                directory.createMapped(newName, WriteAheadLog.capacityBytes(recordBytes));
        boolean isMade = false;
        try {
            WriteAheadLog log =
                    new WriteAheadLog(
                            mapping,
                            number,
                            0,
                            directory.bootId(),
                            WriteAheadLog.RESERVE_UNIT_BYTES);
            HintFile file = new HintFile(directory, number, mapping, log.records(), log);
            directory.rename(newName, LogFiles.name(number));
            isMade = true;
            return file;
        } finally {
            if (!isMade) {
                mapping.close();
                directory.delete(newName);
            }
        }
    }

    /**
     * Opens a file of an earlier process.
     *
     * @throws CorruptionException if the header is damaged. If a hint is damaged, this does not
     *     throw: only the rest of the file is ignored
     */
    static HintFile open(StorageDirectory directory, long number, Damage damage)
            throws IOException {
        MappedFile mapping = directory.map(LogFiles.name(number));
        boolean isOpen = false;
        try {
            LogReplay replay =
                    LogReplay.open(
                            mapping.memory(), number, LogFiles.name(number), directory.bootId());
            HintFile file = new HintFile(directory, number, mapping, replay.records(), null);
            file.findEnd(replay, damage);
            isOpen = true;
            return file;
        } finally {
            if (!isOpen) {
                mapping.close();
            }
        }
    }

    /** Is notified when hints are lost. */
    @FunctionalInterface
    interface Damage {
        void lost(CorruptionException why);
    }

    private void findEnd(LogReplay replay, Damage damage) {
        try {
            replay.forEach((_, _) -> count++);
        } catch (CorruptionException e) {
            damage.lost(e);
        }
        end = replay.end();
    }

    long number() {
        return number;
    }

    /** The number of hints that are not removed yet. */
    long count() {
        return count;
    }

    /** The bytes of the hints that are not removed yet. */
    long bytes() {
        return end - position;
    }

    /** The bytes of removed hints. */
    long usedBytes() {
        return position - WriteAheadLog.START;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /**
     * Appends a hint.
     *
     * @param value null for a tombstone
     * @return false if nothing was appended: the file has no room for the hint, or is only read, or
     *     could not be written to earlier
     * @throws IOException if the disk is full, or the file cannot be written to; nothing was
     *     appended
     */
    boolean tryAppend(byte[] key, MemorySegment value, long timestampMicros) throws IOException {
        if (log == null || log.append(key, value, timestampMicros) == WriteAheadLog.NO_ROOM) {
            return false;
        }
        end = log.appendedUpTo();
        count++;
        return true;
    }

    /**
     * Reads the oldest hint. There must be one.
     *
     * @throws CorruptionException if the hint was damaged since the file was opened
     */
    Copy peek() {
        records.read(position, entry);
        return HintKey.decoded(Copy.of(entry));
    }

    /**
     * Removes the oldest hint. There must be one, and {@link #peek} must have read it without an
     * exception.
     */
    void remove() {
        records.read(position, entry);
        int valueLength = entry.isTombstone() ? 0 : entry.valueLength();
        position += WriteAheadLog.recordBytes(entry.keyLength(), valueLength);
        count--;
    }

    /** Removes all remaining hints. */
    void clear() {
        position = end;
        count = 0;
    }

    /** Closes the file, which stays on disk. */
    @Override
    public void close() {
        mapping.close();
    }

    /** Closes and deletes the file. */
    void delete() throws IOException {
        mapping.close();
        directory.delete(LogFiles.name(number));
    }
}
