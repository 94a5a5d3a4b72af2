package dht.stage5;

import dht.testkit.contract.ReadRepairContract;
import dht.testkit.node.NodeFactory;

/** Three nodes in the JVM of the test, which only reads can heal. */
class Stage5ReadRepairTest implements ReadRepairContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.inProcess("--rebuild=off", "--hint-window=0s", "--repair-interval=0s");
    }
}
