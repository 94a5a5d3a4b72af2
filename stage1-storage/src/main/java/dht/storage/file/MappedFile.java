package dht.storage.file;

import java.lang.foreign.MemorySegment;

/**
 * The bytes of a file as memory. Any number of threads may read them.
 *
 * <p>Closing needs a handshake with every thread of the JVM. So a running engine does it once per
 * file, and in the background where it can.
 */
public interface MappedFile extends AutoCloseable {
    MemorySegment memory();

    /** Unmaps the file. No thread may read it at that time or later. */
    @Override
    void close();
}
