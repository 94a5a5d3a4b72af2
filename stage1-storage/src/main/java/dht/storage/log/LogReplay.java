package dht.storage.log;

import dht.storage.CorruptionException;
import dht.storage.EntryView;
import java.lang.foreign.MemorySegment;
import java.util.UUID;

/**
 * Reads what a former process left of a log, and tells a torn tail from damage.
 *
 * <p>Records are written one after another. If the machine has not restarted since, its page cache
 * still holds all of them, and the header knows up to where they are whole; if it has, only what
 * was synced is sure to be there. Below that mark a record that fails its checksum is corruption,
 * and an error. Beyond it the first bad record is the torn tail: nobody was told that it was safe,
 * and the log ends there.
 */
public final class LogReplay {
    /** Receives the records of a log, in the order in which they were written. */
    @FunctionalInterface
    public interface Visitor {
        void record(long offset, EntryView entry);
    }

    private final LogRecords records;
    private final MemorySegment header; // A copy.
    private final long number;
    private final boolean isComplete;
    private final long sureUpTo;
    private final long appendedUpTo;
    private long end = LogLayout.HEADER_BYTES;
    private boolean isEndUnreadable;

    private LogReplay(LogRecords records, MemorySegment header, long number, boolean isComplete) {
        this.records = records;
        this.header = header;
        this.number = number;
        this.isComplete = isComplete;
        this.appendedUpTo = LogLayout.appendedUpTo(header);
        this.sureUpTo = isComplete ? appendedUpTo : LogLayout.syncedUpTo(header);
    }

    /**
     * Prepares to read a log.
     *
     * @param bootId of the machine, now
     * @throws CorruptionException if the header is damaged, or is another log's
     */
    public static LogReplay open(MemorySegment memory, long number, String name, UUID bootId) {
        LogRecords records = new LogRecords(memory, number, name);
        MemorySegment header = LogLayout.copyHeader(memory, name);
        if (LogLayout.number(header) != number) {
            throw new CorruptionException(
                    name, 0, "log header belongs to log number=" + LogLayout.number(header));
        }
        boolean isComplete = LogLayout.bootId(header).equals(bootId);
        LogReplay log = new LogReplay(records, header, number, isComplete);
        if (log.sureUpTo > memory.byteSize()) {
            throw new CorruptionException(
                    name,
                    memory.byteSize(),
                    "log ends here, but records were written up to offset=" + log.sureUpTo);
        }
        return log;
    }

    /** Number of the log that was begun before this one. */
    public long previousLog() {
        return LogLayout.previousLog(header);
    }

    /**
     * Number of the log that was put to use after this one; 0 if there was none, or if the machine
     * has restarted since: then that log may rightly be gone.
     */
    public long nextLog() {
        return isComplete ? LogLayout.nextLog(header, number) : 0;
    }

    /**
     * Whether this log goes on where {@code previous} ends. If it doesn't, the end of the one
     * before got lost together with the machine's page cache, and what this log holds came after
     * that.
     *
     * @throws CorruptionException if the machine has not restarted since this log was begun, so
     *     that nothing can have got lost
     */
    public boolean follows(LogReplay previous) {
        boolean knowsEnd = LogLayout.hasPreviousEnd(header);
        if (knowsEnd && !LogLayout.isPreviousEndValid(header, number)) {
            throw new CorruptionException(
                    records.toString(), 0, "end of the log before fails its checksum");
        }
        if (knowsEnd && LogLayout.previousEnd(header) == previous.end) {
            return true;
        }
        if (isComplete) {
            throw new CorruptionException(
                    previous.records.toString(),
                    previous.end,
                    "log ends here, but file=" + records + " goes on from another offset");
        }
        return false;
    }

    public LogRecords records() {
        return records;
    }

    /**
     * Hands every record to {@code visitor}; may be called again.
     *
     * @throws CorruptionException if a record fails its checksum that must be whole
     */
    public void forEach(Visitor visitor) {
        EntryView entry = new EntryView();
        end = LogLayout.HEADER_BYTES;
        while (isRecord(end, entry)) {
            visitor.record(end, entry);
            end = LogRecords.next(end, entry);
        }
        if (end < sureUpTo) {
            throw new CorruptionException(
                    records.toString(),
                    end,
                    "log record fails its checksum, and records up to offset="
                            + sureUpTo
                            + " were acknowledged");
        }
    }

    /**
     * What cannot be read beyond what is sure is a torn tail, too: a hole on a disk that is full.
     */
    private boolean isRecord(long offset, EntryView entry) {
        isEndUnreadable = false;
        try {
            return records.tryRead(offset, entry);
        } catch (CorruptionException unreadable) {
            if (offset < sureUpTo) {
                throw unreadable;
            }
            isEndUnreadable = true;
            return false;
        }
    }

    /** Whether there was no record, when they were last read. */
    public boolean isEmpty() {
        return end == LogLayout.HEADER_BYTES;
    }

    /** Where the last whole record ends. */
    public long end() {
        return end;
    }

    /** Whether a record was begun at the end, but not finished. */
    public boolean hasTornTail() {
        return isEndUnreadable || LogLayout.isBegun(records.memory(), end);
    }

    /**
     * Bytes of log that were written but are lost, because the machine went down before they were
     * synced.
     */
    public long lostBytes() {
        return Math.max(0, appendedUpTo - end);
    }
}
