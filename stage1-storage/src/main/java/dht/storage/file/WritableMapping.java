package dht.storage.file;

import java.io.IOException;

/**
 * A file's bytes as memory that is written to. A store is in the operating system's page cache at
 * once: it survives the process, and needs no system call.
 *
 * <p>Touching a page that has no block behind it, on a full disk, would end in SIGBUS: so {@link
 * #reserve} first.
 */
public interface WritableMapping extends MappedFile {
    /**
     * Makes sure that the first {@code upToBytes} have blocks on the disk. One thread at a time.
     *
     * @throws IOException if the disk is full; what was reserved before stays so
     */
    void reserve(long upToBytes) throws IOException;

    /** Makes what was stored in {@code [0, lengthBytes)} durable. Thread-safe. */
    void force(long lengthBytes) throws IOException;
}
