package dht.stage3;

import dht.testkit.contract.DurabilityContract;
import dht.testkit.contract.EntityContract;
import dht.testkit.contract.HostileInputContract;
import dht.testkit.contract.LifecycleContract;
import dht.testkit.contract.OverloadContract;
import dht.testkit.contract.RangeContract;
import dht.testkit.contract.StatusContract;
import dht.testkit.node.NodeFactory;

/** A cluster of one node in the JVM of the test: it keeps the promises of a single server. */
class Stage3Test
        implements StatusContract,
                EntityContract,
                HostileInputContract,
                RangeContract,
                LifecycleContract,
                DurabilityContract,
                OverloadContract {
    @Override
    public NodeFactory servers() {
        return Stage3Nodes.inProcess()
                .withLimited(Stage3Nodes.inProcess("--workers=1", "--queue-length=2"));
    }
}
