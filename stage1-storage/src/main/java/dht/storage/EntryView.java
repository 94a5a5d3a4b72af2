package dht.storage;

import dht.storage.memory.Bytes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A window on one entry, wherever it lies: it copies nothing, and is moved from entry to entry
 * instead of being made anew.
 *
 * <p>Not thread-safe.
 */
public final class EntryView {
    /** Stands for the length of a value that is a tombstone. Persistent format: do not change. */
    public static final int TOMBSTONE = -1;

    private MemorySegment memory;
    private long keyOffset;
    private int keyLength;
    private long valueOffset;
    private int valueLength;
    private long timestampMicros;

    /** Moves this window. {@code valueLength} is {@link #TOMBSTONE} for a deletion. */
    public void wrap(
            MemorySegment memory,
            long keyOffset,
            int keyLength,
            long valueOffset,
            int valueLength,
            long timestampMicros) {
        this.memory = memory;
        this.keyOffset = keyOffset;
        this.keyLength = keyLength;
        this.valueOffset = valueOffset;
        this.valueLength = valueLength;
        this.timestampMicros = timestampMicros;
    }

    public MemorySegment memory() {
        return memory;
    }

    public long keyOffset() {
        return keyOffset;
    }

    public int keyLength() {
        return keyLength;
    }

    public long valueOffset() {
        return valueOffset;
    }

    /** In bytes, or {@link #TOMBSTONE}. */
    public int valueLength() {
        return valueLength;
    }

    public long timestampMicros() {
        return timestampMicros;
    }

    public boolean isTombstone() {
        return valueLength == TOMBSTONE;
    }

    /** The value in place; of a tombstone there is none. */
    public MemorySegment value() {
        return memory.asSlice(valueOffset, valueLength);
    }

    public byte[] copyKey() {
        return Bytes.copy(memory, keyOffset, keyLength);
    }

    /** Copies the key to the beginning of {@code target}. */
    public void copyKeyTo(byte[] target) {
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, keyOffset, target, 0, keyLength);
    }

    public byte[] copyValue() {
        return Bytes.copy(memory, valueOffset, valueLength);
    }

    public boolean hasKey(byte[] key) {
        return keyLength == key.length && compareKey(key) == 0;
    }

    public int compareKey(byte[] key) {
        return -Bytes.compare(key, memory, keyOffset, keyLength);
    }

    public int compareKey(EntryView other) {
        return Bytes.compare(
                memory, keyOffset, keyLength, other.memory, other.keyOffset, other.keyLength);
    }

    /**
     * Whether this version wins over another of the same key: by the greater stamp; on a tie a
     * tombstone over a value, and the greater value bytes over the lesser. Of two equal versions
     * neither wins.
     */
    public boolean winsOver(EntryView other) {
        if (timestampMicros != other.timestampMicros) {
            return timestampMicros > other.timestampMicros;
        }
        if (isTombstone() || other.isTombstone()) {
            return isTombstone() && !other.isTombstone();
        }
        return Bytes.compare(
                        memory,
                        valueOffset,
                        valueLength,
                        other.memory,
                        other.valueOffset,
                        other.valueLength)
                > 0;
    }
}
