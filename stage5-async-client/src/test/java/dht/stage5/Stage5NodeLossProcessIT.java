package dht.stage5;

import dht.testkit.contract.NodeLossContract;
import dht.testkit.node.NodeFactory;

/**
 * Three processes, which can be stopped and paused. The answers of running nodes are tested in the
 * JVM of the test.
 */
class Stage5NodeLossProcessIT implements NodeLossContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.processes();
    }
}
