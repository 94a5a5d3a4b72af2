package dht.stage1;

import dht.testkit.contract.EntityContract;
import dht.testkit.contract.HostileInputContract;
import dht.testkit.contract.RangeContract;
import dht.testkit.contract.StatusContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/** Tests the answers of stage 1 as its jar. */
@LongByNature
class Stage1RequestsProcessIT
        implements StatusContract, EntityContract, HostileInputContract, RangeContract {
    @Override
    public NodeFactory servers() {
        return Stage1ProcessIT.processes();
    }
}
