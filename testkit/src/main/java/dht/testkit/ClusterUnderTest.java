package dht.testkit;

import dht.testkit.http.Response;
import java.util.List;
import java.util.function.Predicate;

/**
 * A cluster as one test sees it: its nodes, each a {@link ServerUnderTest}, in a fixed order. What
 * each was asked and has answered is in the test's transcript. Threads may share it.
 */
public final class ClusterUnderTest {
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

    /** A node by its place, from 0. */
    public ServerUnderTest node(int index) {
        return nodes.get(index);
    }

    /** All nodes but one. */
    public List<ServerUnderTest> others(ServerUnderTest node) {
        return nodes.stream().filter(other -> other != node).toList();
    }

    /** The nodes whose own range shows the key: those that hold a copy of it. */
    public List<ServerUnderTest> holders(String key) {
        return nodes.stream().filter(holds(key)).toList();
    }

    private static Predicate<ServerUnderTest> holds(String key) {
        return node -> {
            Response range = node.range(key, key + '\0').expectStatus(200);
            return range.body().length > 0;
        };
    }
}
