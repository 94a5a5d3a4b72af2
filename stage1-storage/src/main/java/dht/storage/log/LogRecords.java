package dht.storage.log;

import dht.storage.CorruptionException;
import dht.storage.EntryView;
import java.lang.foreign.MemorySegment;

/**
 * The records of one log, read in place.
 *
 * <p>Thread-safe: a record never changes once its offset is known.
 */
public final class LogRecords {
    private final MemorySegment memory;
    private final long logNumber;
    private final String name;

    LogRecords(MemorySegment memory, long logNumber, String name) {
        this.memory = memory;
        this.logNumber = logNumber;
        this.name = name;
    }

    /**
     * Moves {@code entry} to the record at {@code offset}.
     *
     * @throws CorruptionException if the record fails its checksum
     */
    public void read(long offset, EntryView entry) {
        if (!tryRead(offset, entry)) {
            throw new CorruptionException(name, offset, "log record fails its checksum");
        }
    }

    /** Moves {@code entry} to the record at {@code offset}, if a whole one lies there. */
    boolean tryRead(long offset, EntryView entry) {
        if (!LogLayout.isValid(memory, offset, logNumber)) {
            return false;
        }
        int keyLength = LogLayout.keyLength(memory, offset);
        long keyOffset = offset + LogLayout.RECORD_HEADER_BYTES;
        entry.wrap(
                memory,
                keyOffset,
                keyLength,
                keyOffset + keyLength,
                LogLayout.valueLength(memory, offset),
                LogLayout.timestampMicros(memory, offset));
        return true;
    }

    /** Where the record after the one at {@code offset} begins. */
    long next(long offset) {
        return offset
                + LogLayout.recordBytes(
                        LogLayout.keyLength(memory, offset), LogLayout.valueLength(memory, offset));
    }

    MemorySegment memory() {
        return memory;
    }

    @Override
    public String toString() {
        return name;
    }
}
