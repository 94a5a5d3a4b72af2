package dht.testkit;

import dht.testkit.transcript.Mismatch;
import java.util.List;

/**
 * A cluster as one test sees it: its nodes in a fixed order, each a {@link ServerUnderTest}. The
 * transcript of the test contains all requests and answers. Threads may share it.
 */
public final class ClusterUnderTest {
    /**
     * The number of keys to try: it is practically impossible that a node with an equal share owns
     * none of them.
     */
    private static final int TRIES_PER_NODE = 50;

    private final List<ServerUnderTest> nodes;

    public ClusterUnderTest(List<ServerUnderTest> nodes) {
        this.nodes = List.copyOf(nodes);
    }

    public List<ServerUnderTest> nodes() {
        return nodes;
    }

    public int size() {
        return nodes.size();
    }

    /** A node by its index, from 0. */
    public ServerUnderTest node(int index) {
        return nodes.get(index);
    }

    /** All nodes except one. */
    public List<ServerUnderTest> others(ServerUnderTest node) {
        return nodes.stream().filter(other -> other != node).toList();
    }

    /** The only node that has the key, which was written before. */
    public ServerUnderTest owner(String key) {
        var holders = holders(key);
        if (holders.size() != 1) {
            throw new Mismatch(
                    "one node to hold key=" + key,
                    "held by " + holders.stream().map(ServerUnderTest::name).toList());
        }
        return holders.getFirst();
    }

    /**
     * A fresh key that a node owns, written through it.
     *
     * @throws Mismatch where, of many keys, none is the node's
     */
    public String keyOwnedBy(ServerUnderTest node, byte[] value) {
        for (var tries = 0; tries < TRIES_PER_NODE * size(); tries++) {
            var key = Keys.unique();
            node.put(key, value).expectStatus(201);
            if (holds(node, key)) {
                return key;
            }
        }
        throw new Mismatch(
                "%s to own some of %d keys".formatted(node.name(), TRIES_PER_NODE * size()),
                "none");
    }

    /** The nodes whose own range contains the key: those that have a copy of it. */
    public List<ServerUnderTest> holders(String key) {
        return nodes.stream().filter(node -> holds(node, key)).toList();
    }

    private static boolean holds(ServerUnderTest node, String key) {
        return node.range(key, key + '\0').expectStatus(200).body().length > 0;
    }
}
