package dht.stage5;

import dht.testkit.contract.ClusterRangeContract;
import dht.testkit.node.NodeFactory;

/** Three nodes in the JVM of the test. Nothing repairs what one of them misses. */
class Stage5ClusterRangeTest implements ClusterRangeContract {

    @Override
    public NodeFactory servers() {
        return Stage5Nodes.inProcess(
                "--hint-window=0s", "--read-repair=off", "--repair-interval=0s");
    }
}
