package dht.stage5;

import dht.testkit.contract.FaultContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/** One of three containers, or its network, fails, while clients send requests. */
@LongByNature
class Stage5ContainerIT implements FaultContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.containers();
    }
}
