package dht.http;

import dht.storage.ReadOutcome;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Bytes on the heap that are never changed, freed or reused. Code that has a reference to them may
 * read them at any time, on any thread. Immutable.
 *
 * <p>A plain {@link MemorySegment} is borrowed: it is valid only until its owner frees it. For
 * example, a found value is valid until it is closed. Code that needs bytes for longer than a call,
 * such as a write that continues after its answer, has parameters of this type. So the compiler
 * rejects borrowed bytes. {@link #copyOf} copies borrowed bytes into owned ones.
 */
public final class OwnedBytes {
    public static final OwnedBytes EMPTY = takeOver(new byte[0]);

    private final MemorySegment segment;

    private OwnedBytes(MemorySegment segment) {
        this.segment = segment;
    }

    /** Wraps an array without a copy. The caller must not write to the array afterwards. */
    public static OwnedBytes takeOver(byte[] bytes) {
        return new OwnedBytes(MemorySegment.ofArray(bytes).asReadOnly());
    }

    /**
     * Copies a found value.
     *
     * @throws dht.storage.CorruptionException if the file cannot be read there
     */
    public static OwnedBytes copyOf(ReadOutcome.Found found) {
        byte[] copy = new byte[(int) found.value().byteSize()];
        found.copyValue(0, copy, 0, copy.length);
        return takeOver(copy);
    }

    /** A part of these bytes. It keeps the whole array on the heap. */
    public OwnedBytes slice(long offset, long length) {
        return new OwnedBytes(segment.asSlice(offset, length));
    }

    /** The bytes as a read-only segment. */
    public MemorySegment segment() {
        return segment;
    }

    public long byteSize() {
        return segment.byteSize();
    }

    public byte[] toArray() {
        return segment.toArray(ValueLayout.JAVA_BYTE);
    }
}
