package dht.stage5;

import dht.testkit.contract.DamageContract;
import dht.testkit.contract.HealingContract;
import dht.testkit.contract.ReplacementContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/**
 * Three containers: one misses writes, loses its data, or a part of it. They scrub all the time.
 */
@LongByNature
class Stage5HealingContainerIT implements HealingContract, ReplacementContract, DamageContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.containers("--scrub-interval=100ms", "--repair-interval=0s");
    }
}
