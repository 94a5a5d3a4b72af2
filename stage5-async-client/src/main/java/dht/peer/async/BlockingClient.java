package dht.peer.async;

import dht.http.EntityRequest;
import dht.peer.PeerAnswer;

/**
 * Asks another node; the calling thread waits for the answer.
 *
 * <p>Thread-safe.
 */
interface BlockingClient extends AutoCloseable {
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
