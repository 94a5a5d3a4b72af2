package dht.stage5;

import dht.testkit.contract.HealingContract;
import dht.testkit.contract.ReplacementContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/** Three containers: one misses writes, or loses its data. */
@LongByNature
class Stage5HealingContainerIT implements HealingContract, ReplacementContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.containers("--repair-interval=0s");
    }
}
