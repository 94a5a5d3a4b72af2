package dht.testkit.tiny;

import dht.testkit.node.NodeSpec;
import java.io.IOException;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps no hints, and compares itself with the others when it starts: they bring each other what
 * they share and one of them lacks.
 */
class ComparingReplica extends HintlessReplica {
    /** How many nodes are to have a version; missing: all. As if nodes had written it down. */
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

    /** Brings a node the versions that it lacks. */
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
