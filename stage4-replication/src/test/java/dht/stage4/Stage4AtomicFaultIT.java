package dht.stage4;

import dht.testkit.contract.FaultContract;
import dht.testkit.history.RegisterKind;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/** One of three processes fails, while clients read and write atomic registers. */
@LongByNature
class Stage4AtomicFaultIT implements FaultContract {
    @Override
    public NodeFactory servers() {
        return Stage4Nodes.processes("--reads=atomic");
    }

    @Override
    public RegisterKind reads() {
        return RegisterKind.ATOMIC;
    }
}
