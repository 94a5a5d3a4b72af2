package dht.storage.file;

import java.lang.foreign.MemorySegment;

/**
 * A file's bytes as memory. Any number of threads may read them.
 *
 * <p>Closing costs a handshake with every thread of the JVM, so it is done once a file and never on
 * a request's way.
 */
public interface MappedFile extends AutoCloseable {
    MemorySegment memory();

    /** Unmaps the file. No thread may be reading it. */
    @Override
    void close();
}
