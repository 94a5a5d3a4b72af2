package dht.stage4;

import dht.testkit.contract.FaultContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/**
 * Faults of one of three processes, while clients send requests. Stage 5 has the same tests: it
 * differs only in how replicas are asked.
 */
@LongByNature
class Stage4FaultIT implements FaultContract {
    @Override
    public NodeFactory servers() {
        return Stage4Nodes.processes();
    }
}
