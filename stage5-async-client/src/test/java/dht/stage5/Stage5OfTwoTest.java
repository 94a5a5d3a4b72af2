package dht.stage5;

import dht.testkit.contract.QuorumContract;
import dht.testkit.node.NodeFactory;

/** Two nodes in the JVM of the test. */
class Stage5OfTwoTest implements QuorumContract {
    @Override
    public int nodeCount() {
        return 2;
    }

    @Override
    public NodeFactory servers() {
        return Stage5Nodes.inProcess();
    }
}
