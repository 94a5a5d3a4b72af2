package dht.stage3;

import dht.testkit.contract.EntityContract;
import dht.testkit.contract.HostileInputContract;
import dht.testkit.contract.ShardingContract;
import dht.testkit.contract.StatusContract;
import dht.testkit.node.NodeFactory;

/**
 * Three nodes in the JVM of the test. The promises of a single server hold through each of them,
 * whichever node owns the key.
 */
class Stage3ClusterTest
        implements StatusContract, EntityContract, HostileInputContract, ShardingContract {
    @Override
    public NodeFactory servers() {
        return Stage3Nodes.inProcess();
    }
}
