package dht.stage4;

import dht.testkit.contract.QuorumContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/** Two nodes in the JVM of the test. */
@LongByNature
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
