package dht.stage5;

import dht.testkit.contract.FaultContract;
import dht.testkit.node.NodeFactory;

/** Faults of one of three processes, while clients send requests. */
class Stage5FaultIT implements FaultContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.processes();
    }
}
