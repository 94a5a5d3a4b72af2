package dht.stage5;

import dht.testkit.contract.QuorumHistoryContract;
import dht.testkit.history.RegisterKind;
import dht.testkit.node.NodeFactory;

/** Three nodes in the JVM of the test, whose keys are atomic registers. */
class Stage5AtomicHistoryTest implements QuorumHistoryContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.inProcess("--reads=atomic");
    }

    @Override
    public RegisterKind reads() {
        return RegisterKind.ATOMIC;
    }
}
