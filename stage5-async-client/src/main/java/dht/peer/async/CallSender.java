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
     * Sends a call, either now or later together with other calls. Doesn't block the caller. If
     * this method returns, the call is certainly ended later. If it throws, the caller must end the
     * call.
     */
    void send(PeerCall call);

    /** How many calls wait for the next message. */
    default int waitingCount() {
        return 0;
    }
}
