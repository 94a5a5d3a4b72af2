package dht.testkit;

import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.transcript.Mismatch;
import java.util.List;
import java.util.function.Function;

/**
 * A cluster as one test sees it: its nodes in a fixed order, each a {@link ServerUnderTest}. The
 * transcript of the test contains all requests and answers. Threads may share it.
 */
public final class ClusterUnderTest {
    /**
     * The number of keys to try, per node. With so many random keys, each node almost certainly
     * owns one.
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

    /**
     * The only node that has a copy of the key. The key must have been written before.
     *
     * @throws Mismatch if no node has the key, or several nodes have it
     */
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
     * @throws Mismatch if the node owns none of {@value #TRIES_PER_NODE} keys per node
     */
    public String keyOwnedBy(ServerUnderTest node, byte[] value) {
        return keyOwnedBy(node, key -> Request.put(Target.entity(key), value));
    }

    /**
     * The same, for a value that is written in another way.
     *
     * @param put creates the request that writes a key
     */
    public String keyOwnedBy(ServerUnderTest node, Function<String, Request> put) {
        for (var tries = 0; tries < TRIES_PER_NODE * size(); tries++) {
            var key = Keys.unique();
            node.ask(put.apply(key)).expectStatus(201);
            if (holds(node, key)) {
                return key;
            }
        }
        throw new Mismatch(
                "%s to own some of %d keys".formatted(node.name(), TRIES_PER_NODE * size()),
                "none");
    }

    /** The nodes that have a copy of the key. Each node's own range shows whether it has one. */
    public List<ServerUnderTest> holders(String key) {
        return nodes.stream().filter(node -> holds(node, key)).toList();
    }

    private static boolean holds(ServerUnderTest node, String key) {
        return node.range(key, key + '\0').expectStatus(200).body().length > 0;
    }
}
