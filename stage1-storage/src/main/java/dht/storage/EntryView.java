package dht.storage;

import dht.storage.memory.Bytes;
import dht.storage.memory.MappedMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * A view of one entry. It is moved from entry to entry, so that no object is created per entry.
 *
 * <p>Key and value are in one piece of memory, which is a checked copy of the bytes of the file.
 * Only a large value is not copied: it is read from the mapped file. That read can fail; then
 * {@link #copyValue} throws an exception that says where.
 *
 * <p>Not thread-safe.
 */
public final class EntryView {
    /** The value length of a tombstone. Persistent format: do not change. */
    public static final int TOMBSTONE = -1;

    private static final int OWN_BYTES_MIN = 256;
    private static final int PART_BYTES = 64 << 10;

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

    /** Moves this view. {@code valueLength} is {@link #TOMBSTONE} for a deletion. */
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
     * The memory of this view for a copy of an entry: at least {@code bytes} bytes. Its content is
     * kept when it grows.
     */
    public byte[] own(int bytes) {
        if (own.length < bytes) {
            byte[] larger = Arrays.copyOf(own, Math.max(OWN_BYTES_MIN, bytes));
            // If this fails, both fields still refer to the same array.
            ownMemory = MemorySegment.ofArray(larger);
            own = larger;
        }
        return own;
    }

    /** The array of {@link #own} as a segment. */
    public MemorySegment ownMemory() {
        return ownMemory;
    }

    /** Sets that the value is in a mapped file, not next to the key. */
    public void wrapValue(MemorySegment file, long offset) {
        valueMemory = file;
        valueInFile = true;
        valueOffset = offset;
    }

    /**
     * Copies the key to the memory of this view. Copies the value, too, unless it is in a mapped
     * file.
     */
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

    /**
     * Whether the value is in a mapped file. Then the file must be kept in use while the value is
     * read.
     */
    public boolean isValueInFile() {
        return valueInFile;
    }

    /** The memory that contains the key. */
    public MemorySegment memory() {
        return memory;
    }

    /** The offset of the key in {@link #memory}. */
    public long keyOffset() {
        return keyOffset;
    }

    public int keyLength() {
        return keyLength;
    }

    /** The memory that contains the value. */
    public MemorySegment valueMemory() {
        return valueMemory;
    }

    /** The offset of the value in {@link #valueMemory}. */
    public long valueOffset() {
        return valueOffset;
    }

    /** The length of the value in bytes, or {@link #TOMBSTONE}. */
    public int valueLength() {
        return valueLength;
    }

    public long timestampMicros() {
        return timestampMicros;
    }

    public boolean isTombstone() {
        return valueLength == TOMBSTONE;
    }

    /** The value, without a copy. The entry must not be a tombstone. */
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
     * The entry must not be a tombstone.
     *
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

    /** Compares this key with another one, as unsigned bytes: negative, zero or positive. */
    public int compareKey(byte[] key) {
        return -Bytes.compare(key, memory, keyOffset, keyLength);
    }

    public int compareKey(EntryView other) {
        return Bytes.compare(
                memory, keyOffset, keyLength, other.memory, other.keyOffset, other.keyLength);
    }

    /**
     * Whether this version wins over another of the same key. The greater stamp wins. If the stamps
     * are equal, a tombstone wins over a value, and greater value bytes win over lesser ones. Of
     * two equal versions neither wins.
     */
    public boolean winsOver(EntryView other) {
        if (timestampMicros != other.timestampMicros) {
            return timestampMicros > other.timestampMicros;
        }
        if (isTombstone() || other.isTombstone()) {
            return isTombstone() && !other.isTombstone();
        }
        return (valueInFile || other.valueInFile ? compareParts(other) : compareValue(other)) > 0;
    }

    /** Copies a part of both values at a time, since a value may be large. */
    private int compareParts(EntryView other) {
        int common = Math.min(valueLength, other.valueLength);
        byte[] part = new byte[Math.min(common, PART_BYTES)];
        byte[] otherPart = new byte[part.length];
        for (int from = 0; from < common; from += part.length) {
            int length = Math.min(part.length, common - from);
            copyValue(from, part, 0, length);
            other.copyValue(from, otherPart, 0, length);
            int difference = Arrays.compareUnsigned(part, 0, length, otherPart, 0, length);
            if (difference != 0) {
                return difference;
            }
        }
        return valueLength - other.valueLength;
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
