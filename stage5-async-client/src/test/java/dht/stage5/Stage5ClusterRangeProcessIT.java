package dht.stage5;

import dht.testkit.contract.ClusterRangeContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/** Three processes. Nothing repairs what one of them misses. Stage 4 has the same ranges. */
@LongByNature
class Stage5ClusterRangeProcessIT implements ClusterRangeContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.processes(
                "--hint-window=0s", "--read-repair=off", "--repair-interval=0s");
    }
}
