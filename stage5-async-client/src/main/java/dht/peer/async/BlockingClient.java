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
     * @param timestampMicros the stamp of the version to be written, or 0: then the node stamps it
     */
    PeerAnswer ask(EntityRequest request, long timestampMicros);

    /** Closes the connections that are idle, and those in use when their requests are over. */
    @Override
    void close();
}
