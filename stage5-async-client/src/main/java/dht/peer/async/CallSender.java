package dht.peer.async;

import dht.peer.PeerCall;

/**
 * What takes calls to one node, and sends them.
 *
 * <p>Seam: the {@link AsyncClient} sends each call alone, a {@link dht.peer.batch.BatchSender} lets
 * several share a message.
 *
 * <p>Thread-safe.
 */
public interface CallSender {
    /**
     * Sends a call, now or with others; doesn't block the caller. Ends the call, unless it throws.
     */
    void send(PeerCall call);

    /** How many calls wait for others. */
    default int waitingCount() {
        return 0;
    }
}
