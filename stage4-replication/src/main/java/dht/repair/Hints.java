package dht.repair;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.OwnedBytes;
import dht.storage.file.LocalDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ObjLongConsumer;

/**
 * The writes that other nodes have missed, on disk. There is a queue for each node. All queues
 * share one limit in bytes. {@link HintDelivery} delivers the hints.
 *
 * <p>Thread-safe. Adding a hint never waits for another node. It syncs nothing, but may wait for
 * this node's disk when a file is created, or when blocks are reserved for it.
 */
final class Hints implements AutoCloseable {
    private final Map<NodeAddress, HintQueue> queues = new LinkedHashMap<>();
    private final Path directory;
    private final RepairCounts counts;
    private final DiskBudget budget;

    /**
     * Opens the hints that an earlier process has left.
     *
     * @param nodes the other nodes
     */
    static Hints open(RepairOptions options, List<NodeAddress> nodes, RepairCounts counts)
            throws IOException {
        Hints hints = new Hints(options, counts);
        boolean isOpen = false;
        try {
            for (NodeAddress node : nodes) {
                hints.open(node);
            }
            isOpen = true;
            return hints;
        } finally {
            if (!isOpen) {
                hints.close();
            }
        }
    }

    private Hints(RepairOptions options, RepairCounts counts) {
        this.directory = options.hintDirectory();
        this.counts = counts;
        this.budget = new DiskBudget(options.hintBytesMax());
    }

    private void open(NodeAddress node) throws IOException {
        Path path = directory.resolve(name(node));
        HintQueue queue = HintQueue.open(LocalDirectory.open(path), budget, counts);
        boolean isAdded = false;
        try {
            queues.put(node, queue);
            isAdded = true;
        } finally {
            if (!isAdded) {
                queue.close();
            }
        }
    }

    /** The name of a node's directory. */
    static String name(NodeAddress node) {
        return node.host() + "_" + node.port();
    }

    /** The hints for a node. */
    HintQueue of(NodeAddress node) {
        return queues.get(node);
    }

    /** Keeps a write for a node that has not stored it. */
    void add(NodeAddress node, EntityRequest write, long timestampMicros) {
        OwnedBytes value = write instanceof EntityRequest.Put put ? put.body() : null;
        of(node).add(
                        HintKey.of(write.key(), write.from()),
                        value == null ? null : value.segment(),
                        timestampMicros);
    }

    /** Calls {@code consumer} with each node and the number of its waiting hints. */
    void forEachCount(ObjLongConsumer<NodeAddress> consumer) {
        queues.forEach((node, queue) -> consumer.accept(node, queue.count()));
    }

    long takenBytes() {
        return budget.takenBytes();
    }

    /**
     * Closes the queues. Hints that are not delivered stay on disk for the next process. Hints that
     * are added later are lost. So everything that may still report a missed write must be closed
     * before this.
     */
    @Override
    public void close() {
        queues.values().forEach(HintQueue::close);
    }
}
