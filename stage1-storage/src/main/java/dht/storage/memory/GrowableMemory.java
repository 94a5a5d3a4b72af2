package dht.storage.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A buffer outside the heap, to which bytes are appended. It doubles its size when it is full. All
 * numbers are little-endian.
 *
 * <p>Used by one thread, the one that created it. It has no memory before the first append. So a
 * constructor that creates several buffers has nothing to free if it fails. A failed append changes
 * nothing.
 */
public final class GrowableMemory implements AutoCloseable {
    private Arena arena = Arena.ofConfined();
    private MemorySegment memory = MemorySegment.NULL;
    private final long initialBytes;
    private long size;

    /**
     * @param initialBytes the size that the first append allocates, if that is enough
     */
    public GrowableMemory(long initialBytes) {
        this.initialBytes = initialBytes;
    }

    /** The number of bytes appended so far. */
    public long size() {
        return size;
    }

    /** Everything that was appended. The segment is valid until the next append. */
    public MemorySegment contents() {
        return memory.asSlice(0, size);
    }

    public void clear() {
        size = 0;
    }

    public void appendShort(int value) {
        ensureRoom(Short.BYTES);
        memory.set(Layouts.SHORT, size, (short) value);
        size += Short.BYTES;
    }

    public void appendInt(int value) {
        ensureRoom(Integer.BYTES);
        memory.set(Layouts.INT, size, value);
        size += Integer.BYTES;
    }

    public void appendLong(long value) {
        ensureRoom(Long.BYTES);
        memory.set(Layouts.LONG, size, value);
        size += Long.BYTES;
    }

    public void append(byte[] bytes) {
        ensureRoom(bytes.length);
        MemorySegment.copy(bytes, 0, memory, JAVA_BYTE, size, bytes.length);
        size += bytes.length;
    }

    /**
     * Appends a copy.
     *
     * @throws dht.storage.CorruptionException if the source is a mapped file that cannot be read
     */
    public void append(MemorySegment source, long offset, long length) {
        ensureRoom(length);
        MappedMemory.copy(source, offset, memory, size, length);
        size += length;
    }

    public void appendZeros(long length) {
        ensureRoom(length);
        memory.asSlice(size, length).fill((byte) 0);
        size += length;
    }

    private void ensureRoom(long bytes) {
        if (size + bytes > memory.byteSize()) {
            grow(size + bytes);
        }
    }

    private void grow(long needed) {
        if (memory.byteSize() == 0) {
            memory = arena.allocate(Math.max(needed, initialBytes), Long.BYTES);
            return;
        }
        Arena unneeded = Arena.ofConfined();
        try {
            MemorySegment larger =
                    unneeded.allocate(Math.max(needed, 2 * memory.byteSize()), Long.BYTES);
            MemorySegment.copy(memory, 0, larger, 0, size);
            Arena former = arena;
            arena = unneeded;
            memory = larger;
            unneeded = former;
        } finally {
            unneeded.close(); // The former arena, or the new one if something failed.
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
