package dht.stage5;

import dht.testkit.contract.DamageContract;
import dht.testkit.contract.HealingContract;
import dht.testkit.contract.ReplacementContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/**
 * Three processes: writes that one of them has missed are delivered, even if the coordinator was
 * killed, and one that lost its data, or a part of it, gets it back. They scrub all the time.
 */
@LongByNature
class Stage5HealingProcessIT implements HealingContract, ReplacementContract, DamageContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.processes("--scrub-interval=100ms", "--repair-interval=0s");
    }
}
