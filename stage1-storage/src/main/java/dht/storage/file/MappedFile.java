package dht.storage.file;

import java.lang.foreign.MemorySegment;

/**
 * The bytes of a file as memory. Any number of threads may read them.
 *
 * <p>Closing needs a handshake with every thread of the JVM. So it is done once per file, and never
 * while a request waits.
 */
public interface MappedFile extends AutoCloseable {
    MemorySegment memory();

    /** Unmaps the file. No thread may read it at that time or later. */
    @Override
    void close();
}
