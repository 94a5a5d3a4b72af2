package dht.stage3;

import dht.testkit.contract.EntityContract;
import dht.testkit.contract.HostileInputContract;
import dht.testkit.contract.ShardingContract;
import dht.testkit.contract.StatusContract;
import dht.testkit.node.NodeFactory;

/**
 * Three processes, which can be killed and paused; what was promised of one server holds through
 * any one of them, whoever owns the key.
 */
class Stage3ClusterProcessIT
        implements StatusContract, EntityContract, HostileInputContract, ShardingContract {
    @Override
    public NodeFactory servers() {
        return Stage3Nodes.processes();
    }
}
