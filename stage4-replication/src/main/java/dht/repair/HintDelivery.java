package dht.repair;

import dht.peer.Peers;
import dht.peer.RemoteNode;
import dht.replication.Healing;
import dht.replication.HybridLogicalClock;
import dht.replication.PeerReplica;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * Hinted handoff: delivers the {@link Hints} of all nodes, with a sender for each node.
 *
 * <p>Thread-safe.
 */
final class HintDelivery implements AutoCloseable {
    private static final Duration RETRY_PAUSE = Duration.ofMillis(500);

    private final List<HintSender> senders = new ArrayList<>();

    /**
     * Creates the senders.
     *
     * @param hints must be closed after this
     */
    HintDelivery(
            Hints hints,
            RepairOptions options,
            Peers peers,
            HybridLogicalClock clock,
            RepairCounts counts) {
        for (RemoteNode peer : peers.all()) {
            senders.add(
                    new HintSender(
                            Hints.name(peer.address()),
                            hints.of(peer.address()),
                            new PeerReplica(peer, clock, Healing.NONE),
                            options.hintWindow(),
                            InstantSource.system(),
                            RETRY_PAUSE,
                            new RateLimiter(options.keysPerSecondMax(), System::nanoTime),
                            counts));
        }
    }

    void start() {
        senders.forEach(HintSender::start);
    }

    /** Ends the threads. Hints can still be added; the next process delivers them. */
    @Override
    public void close() {
        senders.forEach(HintSender::close);
    }
}
