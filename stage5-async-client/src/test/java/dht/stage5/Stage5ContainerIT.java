package dht.stage5;

import dht.testkit.contract.FaultContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/** Faults of one of three containers, or of its network, while clients send requests. */
@LongByNature
class Stage5ContainerIT implements FaultContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.containers();
    }
}
