package dht.stage4;

import dht.testkit.contract.ReplacementContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/**
 * Three containers: a node that is stopped has no address, so no other node can connect to it. Its
 * lost data is rebuilt. That it gets the writes that it missed is tested with processes.
 */
@LongByNature
class Stage4HealingContainerIT implements ReplacementContract {
    @Override
    public NodeFactory servers() {
        return Stage4Nodes.containers("--repair-interval=0s");
    }
}
