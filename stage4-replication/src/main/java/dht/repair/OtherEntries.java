package dht.repair;

import dht.cluster.NodeAddress;
import dht.peer.Peer;
import dht.range.EntryPage;
import dht.range.RangeNode;
import java.io.IOException;
import java.util.HexFormat;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

/**
 * The entries of another node, in pages.
 *
 * <p>Thread-safe.
 */
final class OtherEntries implements RangeNode {
    /** Pages are large, because each needs a connection of its own. */
    static final int PAGE_BYTES_MAX = 128 << 10;

    private static final long RETRY_MILLIS = 100;

    private final NodeClient client;
    private final NodeAddress node;

    OtherEntries(NodeClient client, NodeAddress node) {
        this.client = client;
        this.node = node;
    }

    @Override
    public String url() {
        return node.url();
    }

    @Override
    public byte[] page(byte[] from, byte[] to) throws IOException {
        return get(EntryPage.target(from, to, PAGE_BYTES_MAX)).body();
    }

    /**
     * How many nodes hold a version, as this node has recorded; 0 if all of them do. Empty if the
     * node does not have the version any more.
     *
     * @throws IOException if the node fails, or its data may be incomplete
     */
    OptionalInt recorded(byte[] key, long timestampMicros) throws IOException {
        EntryPage.Reader page = new EntryPage.Reader(page(key, EntryPage.after(key)));
        return page.next() && page.timestampMicros() == timestampMicros
                ? OptionalInt.of(page.from())
                : OptionalInt.empty();
    }

    /** Tries once more if the node is overloaded. */
    private NodeClient.Answer get(String target) throws IOException {
        try {
            return client.get(node, target);
        } catch (NodeClient.Refused e) {
            if (!e.isTemporary()) {
                throw e;
            }
        }
        try {
            TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return client.get(node, target);
    }

    @Override
    public Large value(byte[] key) throws IOException {
        try {
            String id = HexFormat.of().withPrefix("%").formatHex(key);
            NodeClient.Answer answer = get(Peer.ENTITY_PATH + "?id=" + id);
            return new Large(answer.body(), Long.parseLong(answer.timestampMicros()));
        } catch (NodeClient.Refused e) {
            if (e.isNotFound()) {
                return null;
            }
            throw e;
        } catch (NumberFormatException e) {
            throw new IOException("it answers without a stamp", e);
        }
    }
}
