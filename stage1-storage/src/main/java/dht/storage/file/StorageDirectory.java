package dht.storage.file;

import java.io.IOException;
import java.util.List;
import java.util.UUID;

/**
 * The flat directory of files that an engine lives in. All of an engine's I/O goes through one of
 * these, so that a test can put it on a disk that fills up, tears writes or loses what was not
 * synced.
 *
 * <p>Thread-safe, if no two threads call it with the same name at once. What it returns is not
 * thread-safe, unless it says so.
 */
public interface StorageDirectory extends AutoCloseable {
    /** Names of all files, in no particular order. */
    List<String> list() throws IOException;

    /** Makes a new, empty file for writing from front to back. */
    FileWriter create(String name) throws IOException;

    /** Maps a whole file for reading. */
    MappedFile map(String name) throws IOException;

    /**
     * Makes a new, empty file and maps {@code capacityBytes} of it for reading and writing. The
     * file grows with what is reserved: see {@link WritableMapping#reserve}.
     */
    WritableMapping createMapped(String name, long capacityBytes) throws IOException;

    /**
     * Gives a file another name, atomically, replacing what bore that name. Mappings of it stay
     * good.
     */
    void rename(String from, String to) throws IOException;

    /**
     * Removes a name. Mappings of the file stay good, and its blocks are freed when the last of
     * them is closed.
     */
    void delete(String name) throws IOException;

    /** Makes durable what any process has written to a file. */
    void sync(String name) throws IOException;

    /**
     * Makes the names themselves durable: what was created, renamed and deleted before survives a
     * power failure.
     */
    void sync() throws IOException;

    /**
     * Names the stretch of time in which nothing that was stored can have been lost, synced or not:
     * the boot of the machine. Another id than before means that the machine's page cache was lost
     * in between.
     */
    UUID bootId();

    /** Bytes that can still be written to the disk under this directory. */
    long usableBytes() throws IOException;

    /** Where this is, for messages. */
    @Override
    String toString();

    @Override
    void close();
}
