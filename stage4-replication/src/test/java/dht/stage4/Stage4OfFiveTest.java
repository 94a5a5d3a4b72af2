package dht.stage4;

import dht.testkit.contract.QuorumContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/** Five nodes in the JVM of the test. */
@LongByNature
class Stage4OfFiveTest implements QuorumContract {
    @Override
    public int nodeCount() {
        return 5;
    }

    @Override
    public NodeFactory servers() {
        return Stage4Nodes.inProcess();
    }
}
