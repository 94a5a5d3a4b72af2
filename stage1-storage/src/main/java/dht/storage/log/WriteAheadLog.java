package dht.storage.log;

import dht.storage.EntryView;
import dht.storage.file.WritableMapping;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.UUID;

/**
 * One log that is being written. It lies in memory that is mapped from its file, so that an
 * appended record is in the operating system's hands at once, without a system call; and the
 * memtable keeps no copy of the values but reads them here.
 *
 * <p>One thread at a time appends (the engine's write lock sees to it), and one at a time syncs;
 * any number of threads read. What holds, whatever is thrown:
 *
 * <ol>
 *   <li>All records below {@code appendedUpTo} are whole. What a failed append stored is beyond it,
 *       and the next one overwrites it.
 *   <li>A page is stored to only after its block was reserved. If it has none nevertheless, the log
 *       takes no more records.
 *   <li>{@code syncedUpTo} never passes what a sync that succeeded has covered.
 * </ol>
 */
public final class WriteAheadLog {
    /** Answered by {@link #append} when the record doesn't fit. */
    public static final long NO_ROOM = -1;

    /** Offset of the first record. */
    public static final long START = LogLayout.HEADER_BYTES;

    private final WritableMapping mapping;
    private final MemorySegment memory;
    private final long number;
    private final LogRecords records;
    private final long reserveStepBytes;

    /** Scratch of the appending thread: the header of the record that it appends. */
    private final MemorySegment header =
            MemorySegment.ofArray(new byte[LogLayout.RECORD_HEADER_BYTES]);

    // Written by the appending thread.
    private boolean isFaulty; // A page could not be written: no record may come after that.
    private long reservedBytes;
    private volatile long appendedUpTo = START;

    // Written by the syncing thread.
    private volatile long syncedUpTo = START;

    /**
     * Begins a log in a mapping that may have served another one before.
     *
     * @param reserveStepBytes how many bytes of disk to reserve at a time
     * @throws IOException if the disk has no room for the first records
     */
    public WriteAheadLog(
            WritableMapping mapping,
            long number,
            long previousLog,
            UUID bootId,
            long reserveStepBytes)
            throws IOException {
        this.mapping = mapping;
        this.memory = mapping.memory();
        this.number = number;
        this.records = new LogRecords(memory.asReadOnly(), number, LogFiles.name(number));
        this.reserveStepBytes = reserveStepBytes;
        reserve(START + 1);
        try {
            LogLayout.writeHeader(memory, number, previousLog, bootId);
        } catch (InternalError fault) {
            throw unwritable(fault);
        }
        mapping.force(START);
    }

    /**
     * Puts the log to use.
     *
     * @param previousEnd where the last record of the log before this one ends
     */
    public void begin(long previousEnd) {
        LogLayout.previousEnd(memory, previousEnd, number);
    }

    /**
     * Says which log goes on after this one, before anything is in it: so that a start misses it if
     * somebody deletes it. Cannot fail.
     */
    public void endBefore(WriteAheadLog next) {
        LogLayout.nextLog(memory, next.number, number);
    }

    public long number() {
        return number;
    }

    public LogRecords records() {
        return records;
    }

    /** Bytes of log, header included, that a record of these lengths adds. */
    public static long recordBytes(int keyLength, int valueLength) {
        return LogLayout.recordBytes(keyLength, valueLength);
    }

    /**
     * Appends a record.
     *
     * @param value null for a tombstone
     * @return the record's offset, or {@link #NO_ROOM} if the log is full
     * @throws IOException if the disk is full; nothing was appended, and a later attempt may
     *     succeed, in this log or in the next one
     */
    public long append(byte[] key, MemorySegment value, long timestampMicros) throws IOException {
        int valueLength = value == null ? EntryView.TOMBSTONE : (int) value.byteSize();
        long record = appendedUpTo;
        long end = record + LogLayout.recordBytes(key.length, valueLength);
        if (end > memory.byteSize() || isFaulty) {
            return NO_ROOM;
        }
        if (end > reservedBytes) {
            reserve(end);
        }
        try {
            store(record, end, key, value, valueLength, timestampMicros);
        } catch (InternalError fault) {
            isFaulty = true;
            throw unwritable(fault);
        }
        return record;
    }

    private void store(
            long record,
            long end,
            byte[] key,
            MemorySegment value,
            int valueLength,
            long timestampMicros) {
        LogLayout.writeRecordHeader(header, 0, key.length, valueLength, timestampMicros);
        int checksum = LogLayout.computeChecksum(header, key, value, number);
        // region order-of-stores
        LogLayout.writeRecordHeader(memory, record, key.length, valueLength, timestampMicros);
        long keyOffset = record + LogLayout.RECORD_HEADER_BYTES;
        MemorySegment.copy(key, 0, memory, ValueLayout.JAVA_BYTE, keyOffset, key.length);
        if (value != null) {
            MemorySegment.copy(value, 0, memory, keyOffset + key.length, valueLength);
        }
        LogLayout.checksum(memory, record, checksum);
        if (end < reservedBytes) {
            LogLayout.endAt(memory, end);
        }
        LogLayout.appendedUpTo(memory, end);
        appendedUpTo = end;
        // endregion
    }

    /** Some file systems reserve blocks that turn out not to be there. */
    private IOException unwritable(InternalError fault) {
        return new IOException(
                "a page of the mapped file could not be written: file="
                        + records
                        + ": No space left on device, or it is broken",
                fault);
    }

    private void reserve(long bytes) throws IOException {
        long steps = (bytes + reserveStepBytes - 1) / reserveStepBytes;
        long upTo = Math.min(memory.byteSize(), steps * reserveStepBytes);
        mapping.reserve(upTo);
        reservedBytes = upTo;
    }

    /** Where the next record will begin: all records below are whole. */
    public long appendedUpTo() {
        return appendedUpTo;
    }

    /** All records below are durable. */
    public long syncedUpTo() {
        return syncedUpTo;
    }

    /**
     * Makes all records below {@code offset} durable. One thread at a time.
     *
     * @throws IOException if that failed. What the disk holds is then unknown, and the log must not
     *     be synced again: a repeated fsync may succeed without having written anything
     */
    public void sync(long offset) throws IOException {
        mapping.force(offset);
        LogLayout.syncedUpTo(memory, offset);
        syncedUpTo = offset;
    }
}
