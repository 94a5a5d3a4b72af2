package dht.stage5;

import dht.testkit.contract.ClockAheadContract;
import dht.testkit.node.NodeFactory;

class ClockAheadTest implements ClockAheadContract {
    @Override
    public NodeFactory right() {
        return Stage5Nodes.inProcess();
    }

    @Override
    public NodeFactory ahead() {
        return Stage5Nodes.inProcess("--clock-ahead=2d");
    }
}
