package dht.testkit.tiny;

import dht.testkit.node.NodeSpec;
import java.io.IOException;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A small replicated server that keeps no hints. When it starts, it compares itself with each other
 * node. Of the versions that both should have, each then sends the other one those that it lacks.
 */
class ComparingReplica extends HintlessReplica {
    /**
     * How many nodes hold a version, by its stamp; if it is missing, all nodes. Stands for a
     * placement record.
     */
    private static final Map<Long, Integer> FROM = new ConcurrentHashMap<>();

    ComparingReplica(NodeSpec spec) {
        super(spec);
    }

    @Override
    TinyServer start() throws IOException {
        super.start();
        for (var other : running(cluster())) {
            if (other instanceof ComparingReplica node && node != this) {
                node.bringTo(this);
                bringTo(node);
            }
        }
        return this;
    }

    @Override
    TinyAnswer write(String key, byte[] value, Quorum quorum, int status) throws IOException {
        var answer = super.write(key, value, quorum, status);
        for (var node : running(cluster())) {
            var version = node.load(key);
            FROM.putIfAbsent(version.stamp(), quorum.from());
        }
        return answer;
    }

    /** Sends the other node all versions that both should have; it stores those that it lacks. */
    private void bringTo(ComparingReplica other) throws IOException {
        for (var entry : new HashMap<>(versions()).entrySet()) {
            var key = entry.getKey();
            var version = TinyVersion.decode(entry.getValue());
            if (isShared(key, version, other.self())) {
                bring(key, version, other);
            }
        }
    }

    boolean isShared(String key, TinyVersion version, URI other) {
        int from = FROM.getOrDefault(version.stamp(), cluster().size());
        return preferenceList(key, from).contains(other);
    }

    void bring(String key, TinyVersion version, ComparingReplica other) throws IOException {
        other.store(key, version);
    }
}
