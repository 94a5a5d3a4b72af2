package dht.range;

import java.io.IOException;

/**
 * A node whose entries are read for a range over the cluster: another one, or this one.
 *
 * <p>Seam: tests use nodes that fail when the test says so.
 *
 * <p>Thread-safe.
 */
public interface RangeNode {
    /** The node's URL. */
    String url();

    /**
     * Reads an {@link EntryPage}, and waits for it.
     *
     * @param from the first key
     * @param to the key after the last one, not empty
     * @throws IOException if another node fails, or its data may be incomplete
     * @throws dht.storage.StorageException if this node fails, or its data may be incomplete
     */
    byte[] page(byte[] from, byte[] to) throws IOException;

    /**
     * Reads a value that was too large for a page, and waits for it.
     *
     * @return null if the node has no value for the key any more
     * @throws IOException if the node fails, or its data may be incomplete
     */
    Large value(byte[] key) throws IOException;

    /** A large value, with its stamp. */
    record Large(byte[] value, long timestampMicros) {}
}
