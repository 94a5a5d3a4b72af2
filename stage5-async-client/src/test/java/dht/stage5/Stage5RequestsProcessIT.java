package dht.stage5;

import dht.testkit.contract.EntityContract;
import dht.testkit.contract.HostileInputContract;
import dht.testkit.contract.OverloadContract;
import dht.testkit.contract.RangeContract;
import dht.testkit.contract.StatusContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/** Tests the answers to requests from a cluster of one node, as its jar. */
@LongByNature
class Stage5RequestsProcessIT
        implements StatusContract,
                EntityContract,
                HostileInputContract,
                RangeContract,
                OverloadContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.processes();
    }
}
