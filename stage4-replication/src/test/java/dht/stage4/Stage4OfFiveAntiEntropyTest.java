package dht.stage4;

import dht.testkit.contract.AntiEntropyContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/** Five nodes in the JVM of the test, which only comparisons can heal. */
@LongByNature
class Stage4OfFiveAntiEntropyTest implements AntiEntropyContract {
    @Override
    public NodeFactory servers() {
        return Stage4Nodes.inProcess("--hint-window=0s", "--read-repair=off");
    }

    @Override
    public int nodeCount() {
        return 5;
    }
}
