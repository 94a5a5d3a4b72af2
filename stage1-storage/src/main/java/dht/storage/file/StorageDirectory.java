package dht.storage.file;

import java.io.IOException;
import java.util.List;
import java.util.UUID;

/**
 * The directory that contains all files of an engine. An engine does all its I/O with this
 * interface. So a test can simulate a disk that becomes full, tears writes or loses unsynced bytes.
 *
 * <p>Thread-safe, unless two threads use the same file name at the same time. The returned objects
 * are thread-safe only if their types say so.
 */
public interface StorageDirectory extends AutoCloseable {
    /**
     * The names of all files and folders in the directory, except those of lock files, in any
     * order.
     */
    List<String> list() throws IOException;

    /**
     * Creates an empty file, to be written from its beginning to its end.
     *
     * @throws IOException also if there is a file with this name
     */
    FileWriter create(String name) throws IOException;

    /** Maps a whole file for reading. */
    MappedFile map(String name) throws IOException;

    /**
     * Creates an empty file and maps {@code capacityBytes} of it for reading and writing. The file
     * grows when blocks are reserved: see {@link WritableMapping#reserve}.
     *
     * @throws IOException also if there is a file with this name; if this call has created a file,
     *     it is deleted
     */
    WritableMapping createMapped(String name, long capacityBytes) throws IOException;

    /**
     * Creates memory that is used like a mapped file, for bytes that need not be kept.
     *
     * <p>Seam: on a simulated disk, it costs nothing until it is used.
     */
    default WritableMapping createUnnamed(long capacityBytes) {
        return new AnonymousMapping(capacityBytes);
    }

    /**
     * Renames a file atomically. It replaces the file that had the new name. Mappings of the file
     * stay valid.
     */
    void rename(String from, String to) throws IOException;

    /**
     * Deletes a file; does nothing if there is none. Its mappings stay valid, and its blocks are
     * freed when the last mapping is closed.
     */
    void delete(String name) throws IOException;

    /** Makes the content of a file durable, whichever process has written it. */
    void sync(String name) throws IOException;

    /**
     * Makes the file names durable: files that were created, renamed or deleted before stay so
     * after a power failure.
     */
    void sync() throws IOException;

    /**
     * The id of the current boot of the machine. As long as the id is the same, no stored byte can
     * have been lost, even if it was not synced. A new id means that the page cache of the machine
     * was lost.
     */
    UUID bootId();

    /** The free space of the disk on which this directory is, in bytes. */
    long usableBytes() throws IOException;

    /** The path of the directory, for messages. */
    @Override
    String toString();

    @Override
    void close();
}
