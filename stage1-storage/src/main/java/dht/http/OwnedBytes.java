package dht.http;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Bytes on the heap that nobody changes, frees or uses again: code that refers to them may read
 * them at any time, on any thread. Immutable.
 *
 * <p>A plain {@link MemorySegment} is borrowed: it is valid until its owner takes it back, such as
 * a found value until it is closed. Code that needs bytes for longer than a call, such as a write
 * that goes on after its answer, asks for this type, so that the compiler refuses borrowed bytes;
 * {@link #copyOf} makes them owned.
 */
public final class OwnedBytes {
    public static final OwnedBytes EMPTY = takeOver(new byte[0]);

    private final MemorySegment segment;

    private OwnedBytes(MemorySegment segment) {
        this.segment = segment;
    }

    /** The same array: its owner hands it over, and must not write to it any more. */
    public static OwnedBytes takeOver(byte[] bytes) {
        return new OwnedBytes(MemorySegment.ofArray(bytes).asReadOnly());
    }

    public static OwnedBytes copyOf(MemorySegment borrowed) {
        return takeOver(borrowed.toArray(ValueLayout.JAVA_BYTE));
    }

    /** A part of them, which keeps all of them on the heap. */
    public OwnedBytes slice(long offset, long length) {
        return new OwnedBytes(segment.asSlice(offset, length));
    }

    /** To read them; read-only. */
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
