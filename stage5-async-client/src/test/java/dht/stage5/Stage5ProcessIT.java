package dht.stage5;

import dht.testkit.contract.DurabilityContract;
import dht.testkit.contract.EntityContract;
import dht.testkit.contract.HostileInputContract;
import dht.testkit.contract.LifecycleContract;
import dht.testkit.contract.OverloadContract;
import dht.testkit.contract.RangeContract;
import dht.testkit.contract.StatusContract;
import dht.testkit.node.NodeFactory;

/** A cluster of one as it is shipped: what was promised of a server alone still holds. */
class Stage5ProcessIT
        implements StatusContract,
                EntityContract,
                HostileInputContract,
                RangeContract,
                LifecycleContract,
                DurabilityContract,
                OverloadContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.processes();
    }
}
