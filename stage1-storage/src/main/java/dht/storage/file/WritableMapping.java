package dht.storage.file;

import java.io.IOException;

/**
 * The bytes of a file as memory that can be written. Bytes that are written to it are at once in
 * the page cache of the operating system. So they survive the end of the process, and writing them
 * needs no system call.
 *
 * <p>Call {@link #reserve} before you access a page: without a block on the disk, the access would
 * end in SIGBUS on a full disk.
 */
public interface WritableMapping extends MappedFile {
    /**
     * Reserves disk blocks for the first {@code upToBytes}. Called by one thread at a time.
     *
     * @throws IOException if the disk is full; blocks that were reserved before stay reserved
     */
    void reserve(long upToBytes) throws IOException;

    /** Makes the bytes {@code [0, lengthBytes)} durable. Thread-safe. */
    void force(long lengthBytes) throws IOException;
}
