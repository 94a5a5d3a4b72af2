package dht.peer.async;

import dht.peer.PeerCall;

/**
 * Sends calls to one node.
 *
 * <p>Seam: the {@link AsyncClient} sends each call in its own message. With a {@link
 * dht.peer.batch.BatchSender}, several calls share a message.
 *
 * <p>Thread-safe.
 */
public interface CallSender {
    /**
     * Sends a call, now or later together with others. Doesn't block the caller. The call is always
     * ended later, unless this method throws.
     */
    void send(PeerCall call);

    /** How many calls wait for the next message. */
    default int waitingCount() {
        return 0;
    }
}
