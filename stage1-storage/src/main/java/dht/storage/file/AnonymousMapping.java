package dht.storage.file;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory that replaces a mapped file if its bytes need not be kept. Used by one thread at a time;
 * any number of threads may read.
 */
public final class AnonymousMapping implements WritableMapping {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;

    public AnonymousMapping(long bytes) {
        try {
            this.memory = arena.allocate(bytes, Long.BYTES);
        } catch (RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    @Override
    public MemorySegment memory() {
        return memory;
    }

    @Override
    public void reserve(long upToBytes) {}

    @Override
    public void force(long lengthBytes) {}

    @Override
    public void close() {
        arena.close();
    }
}
