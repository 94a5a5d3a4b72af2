package dht.storage.log;

import dht.storage.CorruptionException;
import dht.storage.EntryView;
import dht.storage.memory.MappedMemory;
import java.lang.foreign.MemorySegment;

/**
 * The records of one log. A record is copied out of the log before it is checked and read, except
 * the value of a large record.
 *
 * <p>Thread-safe: a record never changes once its offset is known.
 */
public final class LogRecords {
    /**
     * A record of up to this size is copied into its view. Of a larger record, only the key is
     * copied.
     */
    private static final int COPIED_BYTES_MAX = 64 << 10;

    private final MemorySegment memory;
    private final long logNumber;
    private final String name;

    LogRecords(MemorySegment memory, long logNumber, String name) {
        this.memory = memory;
        this.logNumber = logNumber;
        this.name = name;
        MappedMemory.register(memory, name);
    }

    /**
     * Moves {@code entry} to the record at {@code offset}.
     *
     * @throws CorruptionException if the record fails its checksum, or cannot be read
     */
    public void read(long offset, EntryView entry) {
        if (!tryRead(offset, entry)) {
            throw new CorruptionException(name, offset, "log record fails its checksum");
        }
    }

    /**
     * Moves {@code entry} to the record at {@code offset}, if there is a complete one; returns
     * whether there is.
     *
     * @throws CorruptionException if the log cannot be read there
     */
    boolean tryRead(long offset, EntryView entry) {
        long room = memory.byteSize() - offset;
        if (room < LogLayout.RECORD_HEADER_BYTES) {
            return false;
        }
        byte[] copy = entry.own(LogLayout.RECORD_HEADER_BYTES);
        MappedMemory.copy(memory, offset, copy, 0, LogLayout.RECORD_HEADER_BYTES);
        long bytes = LogLayout.unpaddedBytes(entry.ownMemory());
        if (bytes < 0 || bytes > room) {
            return false;
        }
        boolean isWhole = bytes <= COPIED_BYTES_MAX;
        int keyEnd = LogLayout.RECORD_HEADER_BYTES + LogLayout.keyLength(entry.ownMemory(), 0);
        copyBehindHeader(offset, isWhole ? (int) bytes : keyEnd, entry);
        MemorySegment record = entry.ownMemory();
        int checksum =
                isWhole
                        ? LogLayout.computeChecksum(entry.own(0), (int) bytes, logNumber)
                        : LogLayout.computeChecksum(memory, offset, bytes, logNumber);
        if (checksum != LogLayout.checksum(record, 0)) {
            return false;
        }
        entry.wrap(
                record,
                LogLayout.RECORD_HEADER_BYTES,
                keyEnd - LogLayout.RECORD_HEADER_BYTES,
                keyEnd,
                LogLayout.valueLength(record, 0),
                LogLayout.timestampMicros(record, 0));
        if (!isWhole) {
            entry.wrapValue(memory, offset + keyEnd);
        }
        return true;
    }

    private void copyBehindHeader(long offset, int end, EntryView entry) {
        int header = LogLayout.RECORD_HEADER_BYTES;
        MappedMemory.copy(memory, offset + header, entry.own(end), header, end - header);
    }

    /** Where the record after the one at {@code offset} begins. */
    static long next(long offset, EntryView entry) {
        return offset + LogLayout.recordBytes(entry.keyLength(), entry.valueLength());
    }

    MemorySegment memory() {
        return memory;
    }

    /** The size of the whole log, including its unused part. */
    public long byteSize() {
        return memory.byteSize();
    }

    @Override
    public String toString() {
        return name;
    }
}
