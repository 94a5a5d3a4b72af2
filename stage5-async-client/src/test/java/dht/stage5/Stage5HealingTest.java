package dht.stage5;

import dht.testkit.contract.HealingContract;
import dht.testkit.contract.ReplacementContract;
import dht.testkit.node.NodeFactory;

/** Three nodes in the JVM of the test, some of which miss writes. */
class Stage5HealingTest implements HealingContract, ReplacementContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.inProcess("--repair-interval=0s");
    }
}
