package dht.stage5;

import dht.testkit.contract.HealingContract;
import dht.testkit.contract.ReplacementContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/**
 * Three containers: a node that is stopped has no address, so no other node can connect to it.
 * Writes that it missed are delivered, and its lost data is rebuilt.
 */
@LongByNature
class Stage5HealingContainerIT implements HealingContract, ReplacementContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.containers("--repair-interval=0s");
    }

    /**
     * Not a test here. A stopped container is silent, so its coordinator has no hint for it before
     * it has waited long enough, and it may be killed before that.
     */
    @Override
    public void coordinator_killedBeforeItDelivers_deliversAfterItsStart() {}
}
