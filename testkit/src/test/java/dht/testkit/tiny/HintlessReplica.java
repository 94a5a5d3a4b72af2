package dht.testkit.tiny;

import dht.testkit.node.NodeSpec;
import java.net.URI;

/**
 * Keeps no hints, and does not notice that its data was lost. Both would heal what a server that
 * extends it does wrong.
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
