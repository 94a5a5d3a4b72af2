package dht.stage5;

import dht.testkit.contract.FaultContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/**
 * One of three processes fails, while clients send requests. Every build stops and pauses processes
 * in {@link Stage5NodeLossProcessIT}.
 */
@LongByNature
class Stage5FaultIT implements FaultContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.processes();
    }
}
