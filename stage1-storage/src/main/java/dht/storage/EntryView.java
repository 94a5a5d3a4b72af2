package dht.storage;

import dht.storage.memory.Bytes;
import dht.storage.memory.MappedMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * A window on one entry, wherever it lies: it is moved from entry to entry instead of being made
 * anew.
 *
 * <p>Key and value lie in one piece of memory, which is a checked copy of what the file holds. Only
 * a large value stays where it is, in the mapped file: then a read of it can fail, and {@link
 * #copyValue} says where.
 *
 * <p>Not thread-safe.
 */
public final class EntryView {
    /** Stands for the length of a value that is a tombstone. Persistent format: do not change. */
    public static final int TOMBSTONE = -1;

    private static final int OWN_BYTES_MIN = 256;

    private byte[] own = {};
    private MemorySegment ownMemory;

    private MemorySegment memory;
    private long keyOffset;
    private int keyLength;
    private MemorySegment valueMemory;
    private boolean valueInFile;
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
        this.valueMemory = memory;
        this.valueInFile = false;
        this.valueOffset = valueOffset;
        this.valueLength = valueLength;
        this.timestampMicros = timestampMicros;
    }

    /**
     * Memory of this window's own, for a copy of an entry: at least so many bytes. What is in it
     * stays when it grows.
     */
    public byte[] own(int bytes) {
        if (own.length < bytes) {
            byte[] larger = Arrays.copyOf(own, Math.max(OWN_BYTES_MIN, bytes));
            ownMemory =
                    MemorySegment.ofArray(larger); // If it fails, the two still belong together.
            own = larger;
        }
        return own;
    }

    public MemorySegment ownMemory() {
        return ownMemory;
    }

    /** Says that the value lies in a mapped file, and not beside the key. */
    public void wrapValue(MemorySegment file, long offset) {
        valueMemory = file;
        valueInFile = true;
        valueOffset = offset;
    }

    /** Copies key and value to this window's own memory, except a value in a mapped file. */
    public void detach() {
        int length = keyLength + (valueInFile ? 0 : Math.max(0, valueLength));
        byte[] copy = own(length);
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, keyOffset, copy, 0, length);
        if (!valueInFile) {
            valueMemory = ownMemory;
            valueOffset = keyLength;
        }
        memory = ownMemory;
        keyOffset = 0;
    }

    /** Whether the value lies in a mapped file, which must be held as long as it is read. */
    public boolean isValueInFile() {
        return valueInFile;
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

    public MemorySegment valueMemory() {
        return valueMemory;
    }

    /** Within {@link #valueMemory}. */
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
        return valueMemory.asSlice(valueOffset, valueLength);
    }

    public byte[] copyKey() {
        return Bytes.copy(memory, keyOffset, keyLength);
    }

    public void copyKeyTo(byte[] target, int targetOffset) {
        MemorySegment.copy(
                memory, ValueLayout.JAVA_BYTE, keyOffset, target, targetOffset, keyLength);
    }

    /**
     * @throws CorruptionException if the file cannot be read there
     */
    public byte[] copyValue() {
        return Bytes.copy(valueMemory, valueOffset, valueLength);
    }

    /**
     * Copies a part of the value.
     *
     * @param from where in the value the part begins
     * @throws CorruptionException if the file cannot be read there
     */
    public void copyValue(long from, byte[] target, int targetOffset, int length) {
        MappedMemory.copy(valueMemory, valueOffset + from, target, targetOffset, length);
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
        return valueInFile || other.valueInFile
                ? Arrays.compareUnsigned(copyValue(), other.copyValue()) > 0
                : compareValue(other) > 0;
    }

    private int compareValue(EntryView other) {
        return Bytes.compare(
                valueMemory,
                valueOffset,
                valueLength,
                other.valueMemory,
                other.valueOffset,
                other.valueLength);
    }
}
