package dht.stage4;

import dht.testkit.contract.HealingContract;
import dht.testkit.contract.ReplacementContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/**
 * Three processes: writes that one of them has missed are delivered, even if the coordinator was
 * killed.
 */
@LongByNature
class Stage4HealingProcessIT implements HealingContract, ReplacementContract {
    @Override
    public NodeFactory servers() {
        return Stage4Nodes.processes("--repair-interval=0s");
    }
}
