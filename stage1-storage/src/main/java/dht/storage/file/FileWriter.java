package dht.storage.file;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** A writer of one new file, from its beginning to its end. Not thread-safe. */
public interface FileWriter extends Closeable {
    /** Appends all of {@code bytes}. */
    void write(MemorySegment bytes) throws IOException;

    /** Makes everything that was written durable. */
    void sync() throws IOException;
}
