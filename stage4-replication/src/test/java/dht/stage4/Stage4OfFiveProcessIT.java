package dht.stage4;

import dht.testkit.contract.QuorumHistoryContract;
import dht.testkit.contract.QuorumReadContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/**
 * Five processes: what they show to clients, restarted as well. The rest is asked of as many in one
 * JVM.
 */
@LongByNature
class Stage4OfFiveProcessIT implements QuorumReadContract, QuorumHistoryContract {
    @Override
    public int nodeCount() {
        return 5;
    }

    @Override
    public NodeFactory servers() {
        return Stage4Nodes.processes();
    }
}
