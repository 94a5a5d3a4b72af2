package dht.stage2;

import dht.execution.ExecutorKind;
import dht.testkit.contract.OverloadContract;
import dht.testkit.node.NodeFactory;

/** Stage 2 with the work done by who reads the request. It lets none wait, and refuses none. */
class Stage2InlineTest implements OverloadContract {
    @Override
    public NodeFactory servers() {
        return Stage2Test.on(ExecutorKind.INLINE);
    }
}
