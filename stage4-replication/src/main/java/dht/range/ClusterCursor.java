package dht.range;

import dht.storage.EntryCursor;
import dht.storage.EntryView;
import dht.storage.StorageUnavailableException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Merges the entries of all nodes: each key once, in its newest version, tombstones included. A
 * node that fails is left out from then on, as long as enough nodes are left ({@link NodeQuorum}).
 * A key that a quorum has stored is not lost then: at least one of its replicas is among the nodes
 * that are left.
 *
 * <p>It never ends early: at its end, enough nodes have answered with all their entries.
 *
 * <p>Used by one thread at a time. The thread waits for the nodes.
 */
final class ClusterCursor implements EntryCursor {
    private final NodeQuorum quorum;
    private final List<NodeCursor> cursors = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private final EntryView view = new EntryView();

    /** Asks all nodes for their first pages. */
    ClusterCursor(List<RangeNode> nodes, byte[] from, byte[] to, NodeQuorum quorum) {
        this.quorum = quorum;
        for (RangeNode node : nodes) {
            cursors.add(new NodeCursor(node, from, to));
        }
    }

    /**
     * Waits for the first pages. Must be called once, before {@link #next}.
     *
     * @throws StorageUnavailableException if too few nodes have answered
     */
    void begin() {
        advance(List.copyOf(cursors));
    }

    /**
     * @throws StorageUnavailableException if too few nodes are left
     */
    @Override
    public boolean next() {
        List<NodeCursor> holders = atFirstKey();
        while (!holders.isEmpty()) {
            RangeEntry newest = newest(holders);
            if (newest != null) {
                newest.show(view);
            }
            advance(holders);
            if (newest != null) {
                return true;
            }
            holders = atFirstKey();
        }
        return false;
    }

    /** The cursors whose current key is the least of all current keys; empty at the end. */
    private List<NodeCursor> atFirstKey() {
        List<NodeCursor> first = new ArrayList<>();
        for (NodeCursor cursor : cursors) {
            if (cursor.entry() == null) {
                continue;
            }
            int order = first.isEmpty() ? 0 : cursor.entry().compareKey(first.getFirst().entry());
            if (order < 0) {
                first.clear();
            }
            if (order <= 0) {
                first.add(cursor);
            }
        }
        return first;
    }

    /**
     * The newest version that these nodes have, with its value. A node that fails is removed. If
     * all of them fail, the result is null, and the key is left out: then no quorum has stored it,
     * or too few nodes are left, which {@link #advance} detects.
     */
    private RangeEntry newest(List<NodeCursor> holders) {
        while (!holders.isEmpty()) {
            NodeCursor holder = holders.getFirst();
            for (NodeCursor other : holders) {
                if (other.entry().winsOver(holder.entry())) {
                    holder = other;
                }
            }
            try {
                return withValue(holder);
            } catch (IOException e) {
                holders.remove(holder);
                lose(holder, e);
            }
        }
        return null;
    }

    private static RangeEntry withValue(NodeCursor holder) throws IOException {
        RangeEntry entry = holder.entry();
        if (!entry.isLarge()) {
            return entry;
        }
        RangeNode.Large large = holder.node().value(entry.key());
        if (large != null && large.timestampMicros() < entry.timestampMicros()) {
            throw new IOException("it has lost a version that it had");
        }
        return large == null ? entry.deleted() : entry.with(large);
    }

    private void advance(List<NodeCursor> moved) {
        for (NodeCursor cursor : moved) {
            try {
                cursor.next();
            } catch (IOException e) {
                lose(cursor, e);
            }
        }
        if (cursors.size() < quorum.nodesMin()) {
            throw new StorageUnavailableException(tooFew());
        }
    }

    private void lose(NodeCursor cursor, IOException failure) {
        cursors.remove(cursor);
        failures.add(cursor.node().url() + ": " + failure.getMessage());
    }

    private String tooFew() {
        return "scope=cluster: %d nodes of %d answer, and replicas=%s needs %d; %s"
                .formatted(
                        cursors.size(),
                        quorum.nodeCount(),
                        quorum.quorum(),
                        quorum.nodesMin(),
                        String.join("; ", failures));
    }

    @Override
    public EntryView entry() {
        return view;
    }

    /** A page that has been asked for, and has not arrived yet, is dropped when it arrives. */
    @Override
    public void close() {
        cursors.clear();
    }
}
