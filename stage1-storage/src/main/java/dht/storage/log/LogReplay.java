package dht.storage.log;

import dht.storage.CorruptionException;
import dht.storage.EntryView;
import java.lang.foreign.MemorySegment;
import java.util.UUID;

/**
 * Reads a log that an earlier process has written, and distinguishes a torn tail from damage.
 *
 * <p>Records are written one after another. The header says up to which offset they are complete,
 * and up to which offset they were synced. If the machine has not restarted since the log was
 * written, its page cache still has all complete records. If the machine has restarted, only the
 * synced records certainly exist. Below the offset that applies, a bad record is corruption, and an
 * error. Above it, the log ends at the first bad record, which counts as the torn tail.
 *
 * <p>The offset of the synced records is stored after each sync. So on the disk it may be one sync
 * behind. After a power failure, the records of the last sync may lie above it. They are durable,
 * and are read. But if one of them is damaged, it cannot be distinguished from a torn tail.
 *
 * <p>Used by one thread at a time.
 */
public final class LogReplay {
    /** Receives the records of a log, in the order in which they were written. */
    @FunctionalInterface
    public interface Visitor {
        /** The entry is valid only during this call. */
        void record(long offset, EntryView entry);
    }

    private static final String REMEDY = ": restore the file, or start from a backup";

    private final LogRecords records;
    private final MemorySegment header; // A copy.
    private final long number;
    private final boolean isSameBoot;
    private final long validUpTo;
    private final long appendedUpTo;
    private long end = LogLayout.HEADER_BYTES;
    private boolean isEndUnreadable;

    private LogReplay(LogRecords records, MemorySegment header, long number, boolean isSameBoot) {
        this.records = records;
        this.header = header;
        this.number = number;
        this.isSameBoot = isSameBoot;
        this.appendedUpTo = LogLayout.appendedUpTo(header);
        this.validUpTo = isSameBoot ? appendedUpTo : LogLayout.syncedUpTo(header);
    }

    /**
     * Prepares to read a log.
     *
     * @param bootId the current boot id of the machine
     * @throws CorruptionException if the header is damaged, cannot be read, has another version or
     *     belongs to another log; or if the file is shorter than the records that must be complete
     */
    public static LogReplay open(MemorySegment memory, long number, String name, UUID bootId) {
        LogRecords records = new LogRecords(memory, number, name);
        MemorySegment header = LogLayout.copyHeader(memory, name);
        if (LogLayout.number(header) != number) {
            throw new CorruptionException(
                    name,
                    LogLayout.NUMBER_OFFSET,
                    "log header belongs to log number=" + LogLayout.number(header) + REMEDY);
        }
        boolean isSameBoot = LogLayout.bootId(header).equals(bootId);
        LogReplay log = new LogReplay(records, header, number, isSameBoot);
        if (log.validUpTo > memory.byteSize()) {
            throw new CorruptionException(
                    name,
                    memory.byteSize(),
                    "log ends here, but records were written up to offset="
                            + log.validUpTo
                            + REMEDY);
        }
        return log;
    }

    /** The number of the log that was begun before this one; 0 if there is none. */
    public long previousLog() {
        return LogLayout.previousLog(header);
    }

    /**
     * The number of the log that was used after this one. 0 if there was none, or a crash
     * interrupted storing it. Also 0 if the machine has restarted since then: that log may be
     * absent after a crash, which is no error.
     */
    public long nextLog() {
        return isSameBoot ? LogLayout.nextLog(header, number) : 0;
    }

    /**
     * Whether the end of the log before this one was stored: this log was put to use, and that end
     * was not lost with the machine's page cache.
     */
    public boolean knowsPreviousEnd() {
        return LogLayout.hasPreviousEnd(header);
    }

    /**
     * Whether this log continues where {@code previous} ends. If not, the end of {@code previous}
     * counts as lost with the machine's page cache, and the records of this log came after the lost
     * ones.
     *
     * @param previous the log before this one, after its {@link #forEach}
     * @throws CorruptionException if the stored end of {@code previous} fails its checksum; or if
     *     this log continues elsewhere, although nothing can have been lost: the machine has not
     *     restarted since this log was begun, or its header says that records of it were synced,
     *     which happens after all records of {@code previous} were synced
     */
    public boolean follows(LogReplay previous) {
        boolean knowsEnd = knowsPreviousEnd();
        if (knowsEnd && !LogLayout.isPreviousEndValid(header, number)) {
            throw new CorruptionException(
                    records.toString(),
                    LogLayout.PREVIOUS_END_CHECKSUM_OFFSET,
                    "the stored end of the previous log has a wrong checksum" + REMEDY);
        }
        if (knowsEnd && LogLayout.previousEnd(header) == previous.end) {
            return true;
        }
        if (isSameBoot || isSynced()) {
            throw new CorruptionException(
                    previous.records.toString(),
                    previous.end,
                    "the log ends here, but file="
                            + records
                            + " continues from another offset: restore the files, or start from a"
                            + " backup");
        }
        return false;
    }

    /**
     * Whether the header says that records of this log were synced. After a power failure, it may
     * not say so if they were synced only once.
     */
    private boolean isSynced() {
        return LogLayout.syncedUpTo(header) > LogLayout.HEADER_BYTES;
    }

    public LogRecords records() {
        return records;
    }

    /**
     * Passes every record to {@code visitor}. May be called several times.
     *
     * @throws CorruptionException if a record that must be complete has a wrong checksum, or cannot
     *     be read
     */
    public void forEach(Visitor visitor) {
        EntryView entry = new EntryView();
        end = LogLayout.HEADER_BYTES;
        while (tryRead(end, entry)) {
            visitor.record(end, entry);
            end = LogRecords.next(end, entry);
        }
        if (end < validUpTo) {
            throw new CorruptionException(
                    records.toString(),
                    end,
                    "no valid log record here, but records were written up to offset="
                            + validUpTo
                            + REMEDY);
        }
    }

    /**
     * Moves {@code entry} to a record, if there is one. Above {@code validUpTo}, an unreadable page
     * counts as a torn tail, too: it is, for example, a hole that a full disk has left.
     */
    private boolean tryRead(long offset, EntryView entry) {
        isEndUnreadable = false;
        try {
            return records.tryRead(offset, entry);
        } catch (CorruptionException unreadable) {
            if (offset < validUpTo) {
                throw unreadable;
            }
            isEndUnreadable = true;
            return false;
        }
    }

    /** Whether there was no record in the last {@link #forEach}. */
    public boolean isEmpty() {
        return end == LogLayout.HEADER_BYTES;
    }

    /** The offset at which the last complete record ends. Known only after {@link #forEach}. */
    public long end() {
        return end;
    }

    /**
     * Whether a record was begun at the end, but not finished. Known only after {@link #forEach}.
     */
    public boolean hasTornTail() {
        return isEndUnreadable || LogLayout.isBegun(records.memory(), end);
    }

    /**
     * At least this many bytes were written and then lost, because the machine crashed or lost
     * power before they were synced, or because the disk is bad. Known only after {@link #forEach}.
     */
    public long lostBytes() {
        return Math.max(0, appendedUpTo - end);
    }
}
