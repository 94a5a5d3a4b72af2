package dht.stage5;

import dht.testkit.contract.HealingContract;
import dht.testkit.contract.ReplacementContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/** Three processes: what one of them misses is delivered, though its coordinator was killed. */
@LongByNature
class Stage5HealingProcessIT implements HealingContract, ReplacementContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.processes("--repair-interval=0s");
    }
}
