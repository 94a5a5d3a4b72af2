package dht.stage4;

import dht.testkit.contract.FaultContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/**
 * What befalls one of three processes while clients are at work. The same faults befall the
 * processes of stage 5, which share all of this but the way of asking replicas.
 */
@LongByNature
class Stage4FaultIT implements FaultContract {
    @Override
    public NodeFactory servers() {
        return Stage4Nodes.processes();
    }
}
