package dht.stage1;

import dht.testkit.contract.DurabilityContract;
import dht.testkit.contract.RangeStreamingContract;
import dht.testkit.node.NodeFactory;

/** Stage 1 as its jar, with little memory, which is killed, and from which ranges are read. */
class Stage1DataProcessIT implements DurabilityContract, RangeStreamingContract {
    @Override
    public NodeFactory servers() {
        return Stage1ProcessIT.processes();
    }
}
