package dht.stage4;

import dht.testkit.contract.FaultContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/** What befalls one of three containers, or its network, while clients are at work. */
@LongByNature
class Stage4ContainerIT implements FaultContract {
    @Override
    public NodeFactory servers() {
        return Stage4Nodes.containers();
    }
}
