package dht.storage.log;

import static dht.storage.memory.Layouts.INT;
import static dht.storage.memory.Layouts.LONG;
import static dht.storage.memory.Layouts.SHORT;

import dht.storage.CorruptionException;
import dht.storage.Dao;
import dht.storage.EntryView;
import dht.storage.memory.Bytes;
import dht.storage.memory.Checksum;
import dht.storage.memory.Layouts;
import dht.storage.memory.MappedMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * A write-ahead log file: one page of header, then records, little-endian.
 *
 * <pre>
 *   header, 4096 B
 *     0   | magic 8B | version 4B | checksum 4B | logNumber 8B | previousLog 8B | bootId 16B | zeros |
 *     64  | appendedUpTo 8B |    stored after each record
 *     72  | previousEnd 8B | checksum 4B |    stored before the first record
 *     88  | nextLog 8B | checksum 4B |    stored before the next log's memtable is in use
 *     128 | syncedUpTo 8B   |    stored after each fsync
 *
 *   record, at a multiple of 8
 *     | checksum 4B | valueLength 4B | timestampMicros 8B | keyLength 2B | key | value | 0 to 7 zeros |
 * </pre>
 *
 * <p>The header's checksum covers logNumber to bootId. previousEnd is where the last record of the
 * log before this one ends. nextLog is the number of the log after this one, or 0; it becomes 0
 * again if the next log's memtable cannot be used. A record's checksum covers valueLength to value.
 * All these checksums are combined with the log's number, so that records of a log that used the
 * file earlier are not valid in this log. valueLength == {@link EntryView#TOMBSTONE} marks a
 * deletion; no value bytes follow. Described in docs/reference/formats.md.
 *
 * <p>Persistent format: do not change.
 */
final class LogLayout {
    static final long MAGIC = 0x31_474f_4c54_4844L; // "DHTLOG1"
    static final int VERSION = 1;
    static final int HEADER_BYTES = 4096;
    static final int RECORD_HEADER_BYTES = 18;

    private static final int MAGIC_OFFSET = 0;
    private static final int VERSION_OFFSET = 8;
    private static final int HEADER_CHECKSUM_OFFSET = 12;
    static final int NUMBER_OFFSET = 16;
    private static final int PREVIOUS_OFFSET = 24;
    private static final int BOOT_OFFSET = 32;
    private static final int HEADER_CHECKED_END = 48;
    private static final int APPENDED_OFFSET = 64;
    private static final int PREVIOUS_END_OFFSET = 72;
    static final int PREVIOUS_END_CHECKSUM_OFFSET = 80;
    private static final int NEXT_OFFSET = 88;
    private static final int NEXT_CHECKSUM_OFFSET = 96;
    private static final int SYNCED_OFFSET = 128;

    private static final int VALUE_LENGTH_OFFSET = 4;
    private static final int TIMESTAMP_OFFSET = 8;
    private static final int KEY_LENGTH_OFFSET = 16;

    private static final VarHandle ORDERED_LONG =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

    private LogLayout() {}

    static void writeHeader(MemorySegment log, long number, long previousLog, UUID bootId) {
        log.set(LONG, NUMBER_OFFSET, number);
        log.set(LONG, PREVIOUS_OFFSET, previousLog);
        log.set(LONG, BOOT_OFFSET, bootId.getMostSignificantBits());
        log.set(LONG, BOOT_OFFSET + Long.BYTES, bootId.getLeastSignificantBits());
        log.set(LONG, APPENDED_OFFSET, HEADER_BYTES);
        log.set(LONG, PREVIOUS_END_OFFSET, 0);
        log.set(INT, PREVIOUS_END_CHECKSUM_OFFSET, 0);
        log.set(LONG, NEXT_OFFSET, 0);
        log.set(INT, NEXT_CHECKSUM_OFFSET, 0);
        log.set(LONG, SYNCED_OFFSET, 0);
        log.set(INT, HEADER_CHECKSUM_OFFSET, headerChecksum(log));
        log.set(INT, VERSION_OFFSET, VERSION);
        log.set(LONG, MAGIC_OFFSET, MAGIC);
        endAt(log, HEADER_BYTES);
    }

    /**
     * Checks a log's header, and returns a copy, which the methods of this class can read.
     *
     * @throws CorruptionException if this is not a log, has another version, or has a header that
     *     is damaged or cannot be read
     */
    static MemorySegment copyHeader(MemorySegment log, String name) {
        byte[] bytes = Bytes.copy(log, 0, (int) Math.min(HEADER_BYTES, log.byteSize()));
        MemorySegment header = MemorySegment.ofArray(bytes);
        if (bytes.length < HEADER_BYTES || header.get(LONG, MAGIC_OFFSET) != MAGIC) {
            throw new CorruptionException(name, MAGIC_OFFSET, "not a log: bytes=" + log.byteSize());
        }
        CorruptionException.checkVersion(
                name, VERSION_OFFSET, header.get(INT, VERSION_OFFSET), VERSION);
        if (header.get(INT, HEADER_CHECKSUM_OFFSET) != headerChecksum(header)) {
            throw new CorruptionException(
                    name, HEADER_CHECKSUM_OFFSET, "log header fails its checksum");
        }
        return header;
    }

    private static int headerChecksum(MemorySegment log) {
        return Checksum.crc32c(log, NUMBER_OFFSET, HEADER_CHECKED_END - NUMBER_OFFSET);
    }

    static long number(MemorySegment log) {
        return log.get(LONG, NUMBER_OFFSET);
    }

    static long previousLog(MemorySegment log) {
        return log.get(LONG, PREVIOUS_OFFSET);
    }

    static UUID bootId(MemorySegment log) {
        return new UUID(log.get(LONG, BOOT_OFFSET), log.get(LONG, BOOT_OFFSET + Long.BYTES));
    }

    static long appendedUpTo(MemorySegment log) {
        return log.get(LONG, APPENDED_OFFSET);
    }

    /**
     * Stored after the record itself, so that after a crash of the process all records below it are
     * complete.
     */
    static void appendedUpTo(MemorySegment log, long offset) {
        ORDERED_LONG.setRelease(log, (long) APPENDED_OFFSET, offset);
    }

    /**
     * Stored before the first record, so that a log with a record always has a valid previousEnd.
     */
    static void previousEnd(MemorySegment log, long offset, long logNumber) {
        log.set(LONG, PREVIOUS_END_OFFSET, offset);
        log.set(INT, PREVIOUS_END_CHECKSUM_OFFSET, previousEndChecksum(log, logNumber));
        VarHandle.storeStoreFence();
    }

    /** Whether {@link #previousEnd} was stored at all. */
    static boolean hasPreviousEnd(MemorySegment log) {
        return log.get(LONG, PREVIOUS_END_OFFSET) != 0
                || log.get(INT, PREVIOUS_END_CHECKSUM_OFFSET) != 0;
    }

    static boolean isPreviousEndValid(MemorySegment log, long logNumber) {
        return log.get(INT, PREVIOUS_END_CHECKSUM_OFFSET) == previousEndChecksum(log, logNumber);
    }

    private static int previousEndChecksum(MemorySegment log, long logNumber) {
        return Checksum.crc32c(log, PREVIOUS_END_OFFSET, Long.BYTES) ^ mix(logNumber);
    }

    static long previousEnd(MemorySegment log) {
        return log.get(LONG, PREVIOUS_END_OFFSET);
    }

    /**
     * Stores the number of the next log, before that log's memtable is in use; 0 if the memtable
     * cannot be used. Allocates nothing, and cannot fail.
     */
    static void nextLog(MemorySegment log, long next, long logNumber) {
        log.set(LONG, NEXT_OFFSET, next);
        log.set(INT, NEXT_CHECKSUM_OFFSET, nextChecksum(next, logNumber));
        VarHandle.storeStoreFence();
    }

    /**
     * The number of the next log; 0 if it is unknown, because there is none or a crash has
     * interrupted storing it.
     */
    static long nextLog(MemorySegment log, long logNumber) {
        long next = log.get(LONG, NEXT_OFFSET);
        boolean isValid = log.get(INT, NEXT_CHECKSUM_OFFSET) == nextChecksum(next, logNumber);
        return isValid ? next : 0;
    }

    private static int nextChecksum(long next, long logNumber) {
        return ~mix(31 * logNumber + next);
    }

    static long syncedUpTo(MemorySegment log) {
        return log.get(LONG, SYNCED_OFFSET);
    }

    static void syncedUpTo(MemorySegment log, long offset) {
        log.set(LONG, SYNCED_OFFSET, offset);
    }

    /** The length of a record in bytes, including the zeros after it. */
    static long recordBytes(int keyLength, int valueLength) {
        return Layouts.align8(RECORD_HEADER_BYTES + keyLength + Math.max(0, valueLength));
    }

    static int checksum(MemorySegment log, long record) {
        return log.get(INT, record);
    }

    static int valueLength(MemorySegment log, long record) {
        return log.get(INT, record + VALUE_LENGTH_OFFSET);
    }

    static long timestampMicros(MemorySegment log, long record) {
        return log.get(LONG, record + TIMESTAMP_OFFSET);
    }

    static int keyLength(MemorySegment log, long record) {
        return log.get(SHORT, record + KEY_LENGTH_OFFSET) & 0xffff;
    }

    static void writeRecordHeader(
            MemorySegment log, long record, int keyLength, int valueLength, long timestampMicros) {
        log.set(INT, record + VALUE_LENGTH_OFFSET, valueLength);
        log.set(LONG, record + TIMESTAMP_OFFSET, timestampMicros);
        log.set(SHORT, record + KEY_LENGTH_OFFSET, (short) keyLength);
    }

    static void checksum(MemorySegment log, long record, int checksum) {
        log.set(INT, record, checksum);
    }

    /**
     * The checksum of a record that is about to be stored. It is computed from the record's source,
     * not from the mapped file: if a page of that file were missing, reading it within the checksum
     * would end the process.
     *
     * @param header the record header in an array, as {@link #writeRecordHeader} writes it
     * @param value null for a tombstone
     */
    static int computeChecksum(
            MemorySegment header, byte[] key, MemorySegment value, long logNumber) {
        CRC32C crc = new CRC32C();
        crc.update(header.asSlice(VALUE_LENGTH_OFFSET).asByteBuffer());
        crc.update(key, 0, key.length);
        if (value != null) {
            crc.update(value.asByteBuffer());
        }
        return (int) crc.getValue() ^ mix(logNumber);
    }

    /** The checksum of a copied record. */
    static int computeChecksum(byte[] record, int unpaddedBytes, long logNumber) {
        int checked = unpaddedBytes - VALUE_LENGTH_OFFSET;
        return Checksum.crc32c(record, VALUE_LENGTH_OFFSET, checked) ^ mix(logNumber);
    }

    /** The checksum of a record that is too large to be copied. */
    static int computeChecksum(MemorySegment log, long record, long unpaddedBytes, long logNumber) {
        long checked = unpaddedBytes - VALUE_LENGTH_OFFSET;
        return Checksum.crc32cOfMapped(log, record + VALUE_LENGTH_OFFSET, checked) ^ mix(logNumber);
    }

    /** Marks that no record begins here. */
    static void endAt(MemorySegment log, long offset) {
        if (offset + Long.BYTES <= log.byteSize()) {
            log.set(LONG, offset, 0);
        }
    }

    /** Whether writing a record was begun here. */
    static boolean isBegun(MemorySegment log, long offset) {
        if (offset + Long.BYTES > log.byteSize()) {
            return false;
        }
        byte[] begin = new byte[Long.BYTES];
        MappedMemory.copy(log, offset, begin, 0, begin.length);
        return MemorySegment.ofArray(begin).get(LONG, 0) != 0;
    }

    /**
     * The length of the record that begins with {@code header}, without the zeros after it; -1 if
     * the lengths in the header are invalid.
     */
    static long unpaddedBytes(MemorySegment header) {
        int keyLength = keyLength(header, 0);
        int valueLength = valueLength(header, 0);
        boolean isValid =
                keyLength >= 1
                        && keyLength <= Dao.MAX_KEY_BYTES
                        && valueLength >= EntryView.TOMBSTONE;
        return isValid ? RECORD_HEADER_BYTES + keyLength + (long) Math.max(0, valueLength) : -1;
    }

    private static int mix(long logNumber) {
        return (int) (logNumber * 0x9E3779B97F4A7C15L >>> 32);
    }
}
