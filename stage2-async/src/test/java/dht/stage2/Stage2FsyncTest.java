package dht.stage2;

import dht.testkit.contract.EntityContract;
import dht.testkit.contract.ExpectContract;
import dht.testkit.contract.LifecycleContract;
import dht.testkit.node.NodeFactory;

/**
 * Stage 2 with writes that wait for a sync. A worker stores the record, and the thread that syncs
 * answers the client.
 */
class Stage2FsyncTest implements EntityContract, ExpectContract, LifecycleContract {
    @Override
    public NodeFactory servers() {
        return Stage2Test.with("--durability=fsync");
    }
}
