package dht.stage5;

import dht.testkit.contract.QuorumHistoryContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/**
 * Many clients ask three processes at once, also while these are restarted. Every build tests this
 * with nodes in the JVM of the test.
 */
@LongByNature
class Stage5HistoryProcessIT implements QuorumHistoryContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.processes();
    }
}
