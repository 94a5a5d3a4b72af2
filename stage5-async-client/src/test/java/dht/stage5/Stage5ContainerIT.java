package dht.stage5;

import dht.testkit.contract.FaultContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/** What befalls one of three containers, or its network, while clients are at work. */
@LongByNature
class Stage5ContainerIT implements FaultContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.containers();
    }
}
