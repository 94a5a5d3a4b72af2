package dht.stage5;

import dht.testkit.contract.QuorumHistoryContract;
import dht.testkit.contract.QuorumReadContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/**
 * Five processes: their answers to clients, also after a restart. All other tests use five nodes in
 * one JVM.
 */
@LongByNature
class Stage5OfFiveProcessIT implements QuorumReadContract, QuorumHistoryContract {
    @Override
    public int nodeCount() {
        return 5;
    }

    @Override
    public NodeFactory servers() {
        return Stage5Nodes.processes();
    }
}
