package dht.stage5;

import dht.testkit.contract.FaultContract;
import dht.testkit.node.NodeFactory;

/** What befalls one of three processes while clients are at work. */
class Stage5FaultIT implements FaultContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.processes();
    }
}
