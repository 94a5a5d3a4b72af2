package dht.stage5;

import dht.testkit.contract.FaultContract;
import dht.testkit.history.RegisterKind;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/** One of three processes fails, while clients read and write atomic registers. */
@LongByNature
class Stage5AtomicFaultIT implements FaultContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.processes("--reads=atomic");
    }

    @Override
    public RegisterKind reads() {
        return RegisterKind.ATOMIC;
    }
}
