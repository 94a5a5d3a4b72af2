package dht.testkit.runner;

import dht.testkit.contract.EntityContract;
import dht.testkit.contract.HostileInputContract;
import dht.testkit.contract.ShardingContract;
import dht.testkit.contract.StatusContract;
import dht.testkit.node.NodeFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The suite of stage 3: the promises of a single server, tested through the first node, and those
 * of the whole cluster.
 */
@ExtendWith(SuppliedFactory.class)
public final class ShardingSuite
        implements StatusContract, EntityContract, HostileInputContract, ShardingContract {
    private final NodeFactory factory;

    ShardingSuite(NodeFactory factory) {
        this.factory = factory;
    }

    @Override
    public NodeFactory servers() {
        return factory;
    }
}
