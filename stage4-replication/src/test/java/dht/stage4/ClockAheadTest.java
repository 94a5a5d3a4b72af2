package dht.stage4;

import dht.testkit.contract.ClockAheadContract;
import dht.testkit.node.NodeFactory;

class ClockAheadTest implements ClockAheadContract {
    @Override
    public NodeFactory right() {
        return Stage4Nodes.inProcess();
    }

    @Override
    public NodeFactory ahead() {
        return Stage4Nodes.inProcess("--clock-ahead=2d");
    }
}
