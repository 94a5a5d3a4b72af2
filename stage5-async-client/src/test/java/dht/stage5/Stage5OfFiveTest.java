package dht.stage5;

import dht.testkit.contract.QuorumContract;
import dht.testkit.node.NodeFactory;

/** Five nodes in the JVM of the test. */
class Stage5OfFiveTest implements QuorumContract {
    @Override
    public int nodeCount() {
        return 5;
    }

    @Override
    public NodeFactory servers() {
        return Stage5Nodes.inProcess();
    }
}
