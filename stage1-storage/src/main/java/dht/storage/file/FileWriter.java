package dht.storage.file;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Writes one new file from front to back. Not thread-safe. */
public interface FileWriter extends Closeable {
    /** Appends all of {@code bytes}. */
    void write(MemorySegment bytes) throws IOException;

    /** Makes all that was written durable. */
    void sync() throws IOException;
}
