package dht.stage3;

import dht.testkit.contract.ShardingContract;
import dht.testkit.node.NodeFactory;

/**
 * Three processes, which can be killed and paused. The promises of a single server are tested in
 * the JVM of the test.
 */
class Stage3ClusterProcessIT implements ShardingContract {
    @Override
    public NodeFactory servers() {
        return Stage3Nodes.processes();
    }
}
