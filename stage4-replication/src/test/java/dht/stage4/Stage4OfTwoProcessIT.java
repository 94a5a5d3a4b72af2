package dht.stage4;

import dht.testkit.contract.QuorumHistoryContract;
import dht.testkit.contract.QuorumReadContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/**
 * Two processes: their answers to clients, also after a restart. All other tests use two nodes in
 * one JVM.
 */
@LongByNature
class Stage4OfTwoProcessIT implements QuorumReadContract, QuorumHistoryContract {
    @Override
    public int nodeCount() {
        return 2;
    }

    @Override
    public NodeFactory servers() {
        return Stage4Nodes.processes();
    }
}
