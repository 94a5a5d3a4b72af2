package dht.peer;

import dht.http.EntityRequest;

/**
 * Asks another node; the calling thread waits for the answer.
 *
 * <p>Seam: stage 3 asks with {@link PeerClient}, over one-nio's connections; stage 5 compares that
 * with the JDK's client, blocked in the same way.
 *
 * <p>Thread-safe.
 */
public interface BlockingClient extends AutoCloseable {
    /**
     * Asks the node itself, which asks nobody else.
     *
     * @param parameters that go behind the key, such as {@code &timestamp=1}, or empty
     */
    PeerAnswer ask(EntityRequest request, String parameters);

    /** Closes the connections that are idle, and those in use when their requests are over. */
    @Override
    void close();
}
