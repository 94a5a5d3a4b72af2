package dht.stage4;

import dht.testkit.contract.ReadRepairContract;
import dht.testkit.node.NodeFactory;

/** Three nodes in the JVM of the test, in which nothing but reads brings what is missing. */
class Stage4ReadRepairTest implements ReadRepairContract {
    @Override
    public NodeFactory servers() {
        return Stage4Nodes.inProcess("--rebuild=off", "--hint-window=0s", "--repair-interval=0s");
    }
}
