package dht.stage2;

import dht.testkit.contract.DurabilityContract;
import dht.testkit.contract.EntityContract;
import dht.testkit.contract.HostileInputContract;
import dht.testkit.contract.OverloadContract;
import dht.testkit.contract.RangeContract;
import dht.testkit.contract.StatusContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/** Tests the answers of stage 2 as its jar, and what it keeps when it is killed. */
@LongByNature
class Stage2RequestsProcessIT
        implements StatusContract,
                EntityContract,
                HostileInputContract,
                RangeContract,
                OverloadContract,
                DurabilityContract {
    @Override
    public NodeFactory servers() {
        return Stage2ProcessIT.processes();
    }
}
