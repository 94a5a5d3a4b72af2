package dht.stage5;

import dht.testkit.contract.DurabilityContract;
import dht.testkit.contract.LifecycleContract;
import dht.testkit.node.NodeFactory;

/**
 * A cluster of one node, as its jar, which can be killed. The answers to requests are tested in the
 * JVM of the test.
 */
class Stage5ProcessIT implements LifecycleContract, DurabilityContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.processes();
    }
}
