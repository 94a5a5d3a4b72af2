package dht.stage4;

import dht.testkit.contract.NodeLossContract;
import dht.testkit.contract.NodeReturnContract;
import dht.testkit.contract.QuorumHistoryContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/**
 * Three processes, which can be killed and paused. Every build tests this with the processes of
 * stage 5, and the answers of running nodes in the JVM of the test.
 */
@LongByNature
class Stage4ClusterProcessIT
        implements NodeLossContract, NodeReturnContract, QuorumHistoryContract {
    @Override
    public NodeFactory servers() {
        return Stage4Nodes.processes();
    }
}
