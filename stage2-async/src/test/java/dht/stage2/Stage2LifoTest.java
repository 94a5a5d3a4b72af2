package dht.stage2;

import dht.execution.ExecutorKind;
import dht.testkit.contract.OverloadContract;
import dht.testkit.contract.RangeContract;
import dht.testkit.node.NodeFactory;

/** Stage 2 with the newest request served first. */
class Stage2LifoTest implements RangeContract, OverloadContract {
    @Override
    public NodeFactory servers() {
        return Stage2Test.on(ExecutorKind.LIFO);
    }
}
