package dht.stage5;

import dht.testkit.contract.EntityContract;
import dht.testkit.contract.HostileInputContract;
import dht.testkit.contract.QuorumContract;
import dht.testkit.contract.StatusContract;
import dht.testkit.node.NodeFactory;

/**
 * Three nodes in the JVM of the test. The promises of a single server hold through each of them.
 */
class Stage5ClusterTest
        implements StatusContract, EntityContract, HostileInputContract, QuorumContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.inProcess();
    }
}
