package dht.stage1;

import dht.testkit.contract.DurabilityContract;
import dht.testkit.node.NodeFactory;

/** Stage 1 as its jar, which is killed. */
class Stage1DurabilityProcessIT implements DurabilityContract {
    @Override
    public NodeFactory servers() {
        return Stage1ProcessIT.processes();
    }
}
