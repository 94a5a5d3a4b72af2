package dht.testkit.tiny;

import dht.testkit.contract.DurabilityContract;
import dht.testkit.contract.EntityContract;
import dht.testkit.contract.HostileInputContract;
import dht.testkit.contract.LifecycleContract;
import dht.testkit.contract.OverloadContract;
import dht.testkit.contract.RangeContract;
import dht.testkit.contract.StatusContract;
import dht.testkit.node.InProcess;
import dht.testkit.node.NodeFactory;

/** Checks that the small server keeps every promise, before faults are added to it. */
class TinyServerTest
        implements StatusContract,
                EntityContract,
                HostileInputContract,
                RangeContract,
                LifecycleContract,
                DurabilityContract,
                OverloadContract {
    @Override
    public NodeFactory servers() {
        return InProcess.of(node -> new TinyServer(node).start())
                .withLimited(InProcess.of(node -> new BoundedTinyServer(node).start()));
    }
}
