package dht.storage.log;

import dht.storage.EntryView;
import dht.storage.file.WritableMapping;
import dht.storage.memory.MappedMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.UUID;

/**
 * A log that is being written. Its file is mapped into memory. So an appended record is in the
 * operating system's memory at once, without a system call. The memtable keeps no copy of the
 * values; it reads them from the log.
 *
 * <p>One thread at a time appends, which the engine's write lock guarantees. One thread at a time
 * syncs. Any number of threads read. Invariants, which hold even if something is thrown:
 *
 * <ol>
 *   <li>All records below {@code appendedUpTo} are complete. A failed append leaves no complete
 *       record above it. The next append overwrites its bytes.
 *   <li>A page is written only after its disk block was reserved. If the block is missing in spite
 *       of that, the append fails, and the log accepts no more records.
 *   <li>{@code syncedUpTo} is never greater than the end of the last successful sync.
 * </ol>
 */
public final class WriteAheadLog {
    /** The result of {@link #append} if the log accepts no such record. */
    public static final long NO_ROOM = -1;

    /** The offset of the first record. */
    public static final long START = LogLayout.HEADER_BYTES;

    /**
     * The size of a log's file is a multiple of this. With smaller steps, blocks that ext4 has
     * reserved may turn out to be missing.
     */
    public static final long RESERVE_UNIT_BYTES = 64 << 10;

    private final WritableMapping mapping;
    private final MemorySegment memory;
    private final long number;
    private final LogRecords records;
    private final long reserveStepBytes;

    /** A buffer of the appending thread for the header of the record that it appends. */
    private final MemorySegment header =
            MemorySegment.ofArray(new byte[LogLayout.RECORD_HEADER_BYTES]);

    // Written by the appending thread.
    private boolean isFaulty; // A page could not be written: no record may follow it.
    private long reservedBytes;
    private volatile long appendedUpTo = START;

    // Written by the syncing thread.
    private volatile long syncedUpTo = START;

    /**
     * Begins a log in a mapping that another log may have used before. Syncs nothing.
     *
     * @param mapping with as many bytes as {@link #capacityBytes} returns
     * @param reserveStepBytes how many bytes of disk to reserve at a time, a multiple of {@link
     *     #RESERVE_UNIT_BYTES}
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
            MappedMemory.throwPendingFault();
        } catch (InternalError fault) {
            throw unwritable(fault);
        }
    }

    /**
     * Makes the header durable. If the file gets its final name after that, then a log of that name
     * always has a whole header.
     */
    public void syncHeader() throws IOException {
        mapping.force(START);
    }

    /**
     * Begins to use the log.
     *
     * @param previousEnd where the last record of the log before this one ends
     */
    public void begin(long previousEnd) {
        LogLayout.previousEnd(memory, previousEnd, number);
    }

    /**
     * Stores which log follows this one, before that log's memtable is in use. So the next start
     * notices if that log is missing. Cannot fail.
     */
    public void linkNext(WriteAheadLog next) {
        LogLayout.nextLog(memory, next.number, number);
    }

    /** Undoes {@link #linkNext}, if that memtable cannot be used. Cannot fail. */
    public void unlinkNext() {
        LogLayout.nextLog(memory, 0, number);
    }

    public long number() {
        return number;
    }

    public LogRecords records() {
        return records;
    }

    /** The bytes that a record of these lengths adds to the log, including the record's header. */
    public static long recordBytes(int keyLength, int valueLength) {
        return LogLayout.recordBytes(keyLength, valueLength);
    }

    /**
     * The capacity of a mapping for a log that has room for at least {@code recordBytes} of
     * records.
     */
    public static long capacityBytes(long recordBytes) {
        return Math.ceilDiv(START + recordBytes, RESERVE_UNIT_BYTES) * RESERVE_UNIT_BYTES;
    }

    /**
     * Appends a record.
     *
     * @param value null for a tombstone
     * @return the record's offset, or {@link #NO_ROOM} if the record does not fit, or if a page of
     *     the log could not be written before
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
            invalidate(record);
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
        LogLayout.appendedUpTo(memory, record); // Unchanged: shows whether this page is writable.
        MappedMemory.throwPendingFault(); // Before the record counts.
        LogLayout.appendedUpTo(memory, end);
        appendedUpTo = end;
        // endregion
    }

    /**
     * Marks that no record begins here. This is needed if all pages of the record were written, and
     * only the page after them failed.
     */
    private void invalidate(long record) {
        try {
            LogLayout.endAt(memory, record);
            MappedMemory.throwPendingFault();
        } catch (InternalError _) { // This page could not be written either.
        }
    }

    /**
     * Needed because some file systems confirm a reservation, but the blocks turn out to be
     * missing.
     */
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

    /** The offset of the next record. All records below it are complete. */
    public long appendedUpTo() {
        return appendedUpTo;
    }

    /** The offset below which all records are durable. */
    public long syncedUpTo() {
        return syncedUpTo;
    }

    /**
     * Makes all records below {@code offset} durable, and then stores {@code offset} in the header.
     * The stored offset is durable only after the next sync. Called by one thread at a time.
     *
     * @throws IOException if the sync failed. It is then unknown what is on the disk, and the log
     *     must not be synced again: a repeated fsync may succeed without writing anything
     */
    public void sync(long offset) throws IOException {
        mapping.force(offset);
        LogLayout.syncedUpTo(memory, offset);
        syncedUpTo = offset;
    }
}
