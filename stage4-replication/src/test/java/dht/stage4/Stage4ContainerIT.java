package dht.stage4;

import dht.testkit.contract.FaultContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/** One of three containers, or its network, fails, while clients send requests. */
@LongByNature
class Stage4ContainerIT implements FaultContract {
    @Override
    public NodeFactory servers() {
        return Stage4Nodes.containers();
    }
}
