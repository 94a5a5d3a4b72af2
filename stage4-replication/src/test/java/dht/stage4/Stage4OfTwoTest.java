package dht.stage4;

import dht.testkit.contract.QuorumContract;
import dht.testkit.node.NodeFactory;

/** Two nodes. */
class Stage4OfTwoTest implements QuorumContract {
    @Override
    public int nodeCount() {
        return 2;
    }

    @Override
    public NodeFactory servers() {
        return Stage4Nodes.inProcess();
    }
}
