package dht.stage4;

import dht.testkit.contract.ClusterRangeContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/** Five nodes in the JVM of the test. Nothing repairs what one of them misses. */
@LongByNature
class Stage4OfFiveClusterRangeTest implements ClusterRangeContract {
    @Override
    public int nodeCount() {
        return 5;
    }

    @Override
    public NodeFactory servers() {
        return Stage4Nodes.inProcess(
                "--hint-window=0s", "--read-repair=off", "--repair-interval=0s");
    }
}
