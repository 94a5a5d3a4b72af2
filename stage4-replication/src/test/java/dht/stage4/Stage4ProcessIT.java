package dht.stage4;

import dht.testkit.contract.DurabilityContract;
import dht.testkit.contract.LifecycleContract;
import dht.testkit.node.NodeFactory;

/**
 * A cluster of one as it is shipped, which can be killed. What a request gets is checked in the JVM
 * of the test.
 */
class Stage4ProcessIT implements LifecycleContract, DurabilityContract {
    @Override
    public NodeFactory servers() {
        return Stage4Nodes.processes();
    }
}
