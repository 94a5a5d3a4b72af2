package dht.stage4;

import dht.testkit.contract.ReadRepairContract;
import dht.testkit.node.NodeFactory;

/** Three nodes in the JVM of the test, of which some miss something. */
class Stage4HealingTest implements ReadRepairContract {
    @Override
    public NodeFactory servers() {
        return Stage4Nodes.inProcess();
    }
}
