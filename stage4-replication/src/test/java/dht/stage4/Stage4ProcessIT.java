package dht.stage4;

import dht.testkit.contract.DurabilityContract;
import dht.testkit.contract.LifecycleContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/**
 * A cluster of one as it is shipped, which can be killed. Stages 2 and 5 are always asked for this
 * as processes, and the processes of this stage's cluster are killed, too.
 */
@LongByNature
class Stage4ProcessIT implements LifecycleContract, DurabilityContract {
    @Override
    public NodeFactory servers() {
        return Stage4Nodes.processes();
    }
}
