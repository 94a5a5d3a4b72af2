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
 * One file of hints, written from front to back and read from front to back. It is a log of the
 * storage, {@code dht.storage.log.LogLayout}: so a hint that was appended is in the operating
 * system's hands at once, and what a crash or a full disk leaves unfinished does not count. A file
 * that an earlier process has written is only read.
 *
 * <p>Not thread-safe. Invariants, whatever is thrown:
 *
 * <ol>
 *   <li>{@code START <= position <= end}; both are where a whole hint begins, or none any more.
 *   <li>{@code count} hints lie between them.
 * </ol>
 */
final class HintFile implements AutoCloseable {
    private static final long RESERVE_STEP_BYTES = 64 << 10;

    private final StorageDirectory directory;
    private final long number;
    private final MappedFile mapping;
    private final LogRecords records;
    private final WriteAheadLog log; // Null if it is only read.
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
     * Makes a new file. It gets a log's name when its header is whole.
     *
     * @param recordBytes room for hints
     * @throws IOException if the disk is full; the file is gone again
     */
    static HintFile create(StorageDirectory directory, long number, long recordBytes)
            throws IOException {
        String newName = LogFiles.newName(number);
        WritableMapping mapping =
                directory.createMapped(newName, WriteAheadLog.START + recordBytes);
        boolean isMade = false;
        try {
            WriteAheadLog log =
                    new WriteAheadLog(mapping, number, 0, directory.bootId(), RESERVE_STEP_BYTES);
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
     * @throws CorruptionException if its header is damaged; a damaged hint only ends it
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

    /** Hears of hints that are lost. */
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

    /** Hints that were not removed yet. */
    long count() {
        return count;
    }

    /** Bytes of these. */
    long bytes() {
        return end - position;
    }

    /** Bytes of those that were. */
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
     * @return false if it has no room for it
     * @throws IOException if the disk is full; nothing was appended
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
     * The oldest hint.
     *
     * @throws CorruptionException if it has been damaged since
     */
    Copy peek() {
        records.read(position, entry);
        return Copy.of(entry);
    }

    /** Removes the oldest hint, which is undamaged. */
    void remove() {
        records.read(position, entry);
        int valueLength = entry.isTombstone() ? 0 : entry.valueLength();
        position += WriteAheadLog.recordBytes(entry.keyLength(), valueLength);
        count--;
    }

    /** Removes what is left. */
    void clear() {
        position = end;
        count = 0;
    }

    /** Lets go of the file, which stays. */
    @Override
    public void close() {
        mapping.close();
    }

    /** Lets go of the file, and deletes it. */
    void delete() throws IOException {
        mapping.close();
        directory.delete(LogFiles.name(number));
    }
}
