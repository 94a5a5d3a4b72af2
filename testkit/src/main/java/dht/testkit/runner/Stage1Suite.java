package dht.testkit.runner;

import dht.testkit.contract.DurabilityContract;
import dht.testkit.contract.EntityContract;
import dht.testkit.contract.HostileInputContract;
import dht.testkit.contract.LifecycleContract;
import dht.testkit.contract.RangeContract;
import dht.testkit.contract.StatusContract;
import dht.testkit.node.NodeFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/** The suite of stage 1: all its promises, for a single node. */
@ExtendWith(SuppliedFactory.class)
public final class Stage1Suite
        implements StatusContract,
                EntityContract,
                HostileInputContract,
                RangeContract,
                LifecycleContract,
                DurabilityContract {
    private final NodeFactory factory;

    Stage1Suite(NodeFactory factory) {
        this.factory = factory;
    }

    @Override
    public NodeFactory servers() {
        return factory;
    }
}
