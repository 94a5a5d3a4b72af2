package dht.storage.file;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Memory that stands in for a mapped file where nothing is to be kept. */
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
