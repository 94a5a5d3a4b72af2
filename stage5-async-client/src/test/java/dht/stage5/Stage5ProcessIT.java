package dht.stage5;

import dht.testkit.contract.DurabilityContract;
import dht.testkit.contract.LifecycleContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/**
 * A cluster of one node, as its jar, which can be killed. Every build tests this with the processes
 * of stage 1; and the processes of this stage's larger cluster are killed, too.
 */
@LongByNature
class Stage5ProcessIT implements LifecycleContract, DurabilityContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.processes();
    }
}
