package dht.stage3;

import dht.testkit.contract.ShardingContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/**
 * Three processes, which can be killed and paused. Every build tests owners that are silent or down
 * in the JVM of the test, and kills and pauses the processes of stage 5.
 */
@LongByNature
class Stage3ClusterProcessIT implements ShardingContract {
    @Override
    public NodeFactory servers() {
        return Stage3Nodes.processes();
    }
}
