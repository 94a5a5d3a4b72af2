package dht.stage2;

import dht.execution.ExecutorKind;
import dht.testkit.contract.OverloadContract;
import dht.testkit.node.NodeFactory;

/**
 * Stage 2 with the work done by the thread that reads the request. No request waits in a queue, and
 * none is rejected.
 */
class Stage2InlineTest implements OverloadContract {
    @Override
    public NodeFactory servers() {
        return Stage2Test.on(ExecutorKind.INLINE);
    }
}
