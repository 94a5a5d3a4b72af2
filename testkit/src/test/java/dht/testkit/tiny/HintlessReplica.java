package dht.testkit.tiny;

import dht.testkit.node.NodeSpec;
import java.net.URI;

/**
 * A small replicated server without healing: it keeps no hints, and does not notice that its data
 * was lost. Healing would repair the faults of servers that extend this one, so no test could find
 * them.
 */
class HintlessReplica extends TinyReplica {
    HintlessReplica(NodeSpec spec) {
        super(spec);
    }

    @Override
    void keepHint(URI node, String key, TinyVersion version) {}

    @Override
    boolean isComplete() {
        return true;
    }
}
