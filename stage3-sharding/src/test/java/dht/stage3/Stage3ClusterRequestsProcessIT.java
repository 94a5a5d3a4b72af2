package dht.stage3;

import dht.testkit.contract.EntityContract;
import dht.testkit.contract.HostileInputContract;
import dht.testkit.contract.StatusContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/**
 * The promises of a single server hold through each of three processes, whichever node owns the
 * key.
 */
@LongByNature
class Stage3ClusterRequestsProcessIT
        implements StatusContract, EntityContract, HostileInputContract {
    @Override
    public NodeFactory servers() {
        return Stage3Nodes.processes();
    }
}
