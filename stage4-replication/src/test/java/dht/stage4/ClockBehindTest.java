package dht.stage4;

import dht.testkit.contract.ClockBehindContract;
import dht.testkit.node.NodeFactory;

class ClockBehindTest implements ClockBehindContract {
    @Override
    public NodeFactory right() {
        return Stage4Nodes.inProcess();
    }

    @Override
    public NodeFactory behind() {
        return Stage4Nodes.inProcess("--clock-behind=1h");
    }
}
