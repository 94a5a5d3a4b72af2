package dht.stage4;

import dht.testkit.contract.FaultContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/**
 * One of three processes fails, while clients send requests. Stage 5 has the same tests, because it
 * differs only in how it asks replicas.
 */
@LongByNature
class Stage4FaultIT implements FaultContract {
    @Override
    public NodeFactory servers() {
        return Stage4Nodes.processes();
    }
}
