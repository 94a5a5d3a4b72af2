package dht.repair;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.OwnedBytes;
import dht.peer.Peers;
import dht.peer.RemoteNode;
import dht.replication.Healing;
import dht.replication.HybridLogicalClock;
import dht.replication.PeerReplica;
import dht.storage.file.LocalDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ObjLongConsumer;

/**
 * Hinted handoff: keeps the writes that other nodes have missed on disk, until those nodes have
 * stored them. There is a queue and a sender for each node. All queues share one limit in bytes.
 *
 * <p>Thread-safe. Adding a hint waits only for this node's own disk.
 */
final class Hints implements AutoCloseable {
    private static final Duration RETRY_PAUSE = Duration.ofMillis(500);

    private record Recipient(HintQueue queue, HintSender sender) {}

    private final Map<NodeAddress, Recipient> recipients = new LinkedHashMap<>();
    private final RepairOptions options;
    private final RepairCounts counts;
    private final DiskBudget budget;

    /** Opens the hints that an earlier process has left, and starts to deliver them. */
    static Hints open(
            RepairOptions options, Peers peers, HybridLogicalClock clock, RepairCounts counts)
            throws IOException {
        Hints hints = new Hints(options, counts);
        boolean isOpen = false;
        try {
            for (RemoteNode peer : peers.all()) {
                hints.add(peer, clock);
            }
            hints.recipients.values().forEach(each -> each.sender().start());
            isOpen = true;
            return hints;
        } finally {
            if (!isOpen) {
                hints.close();
            }
        }
    }

    private Hints(RepairOptions options, RepairCounts counts) {
        this.options = options;
        this.counts = counts;
        this.budget = new DiskBudget(options.hintBytesMax());
    }

    private void add(RemoteNode peer, HybridLogicalClock clock) throws IOException {
        NodeAddress node = peer.address();
        String name = node.host() + "_" + node.port();
        Path path = options.hintDirectory().resolve(name);
        HintQueue queue = HintQueue.open(LocalDirectory.open(path), budget, counts);
        boolean isAdded = false;
        try {
            recipients.put(node, new Recipient(queue, sender(name, queue, peer, clock)));
            isAdded = true;
        } finally {
            if (!isAdded) {
                queue.close();
            }
        }
    }

    private HintSender sender(
            String name, HintQueue queue, RemoteNode peer, HybridLogicalClock clock) {
        return new HintSender(
                name,
                queue,
                new PeerReplica(peer, clock, Healing.NONE),
                options.hintWindow(),
                InstantSource.system(),
                RETRY_PAUSE,
                new Pace(options.keysPerSecondMax(), System::nanoTime),
                counts);
    }

    /** Keeps a write for a node that has not stored it. */
    void add(NodeAddress node, EntityRequest write, long timestampMicros) {
        OwnedBytes value = write instanceof EntityRequest.Put put ? put.body() : null;
        recipients
                .get(node)
                .queue()
                .add(
                        HintKey.of(write.key(), write.from()),
                        value == null ? null : value.segment(),
                        timestampMicros);
    }

    /** Calls {@code consumer} with each node and the number of its waiting hints. */
    void forEachCount(ObjLongConsumer<NodeAddress> consumer) {
        recipients.forEach((node, each) -> consumer.accept(node, each.queue().count()));
    }

    long takenBytes() {
        return budget.takenBytes();
    }

    /** Ends the threads. Hints that are not delivered stay on disk for the next process. */
    @Override
    public void close() {
        recipients.values().forEach(each -> each.sender().close());
    }
}
