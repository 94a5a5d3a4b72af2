package dht.stage4;

import dht.testkit.contract.ReadRepairContract;
import dht.testkit.node.NodeFactory;

/** Three nodes in the JVM of the test, which only reads can heal. */
class Stage4ReadRepairTest implements ReadRepairContract {
    @Override
    public NodeFactory servers() {
        return Stage4Nodes.inProcess("--rebuild=off", "--hint-window=0s", "--repair-interval=0s");
    }
}
