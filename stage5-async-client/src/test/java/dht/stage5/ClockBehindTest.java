package dht.stage5;

import dht.testkit.contract.ClockBehindContract;
import dht.testkit.node.NodeFactory;

class ClockBehindTest implements ClockBehindContract {
    @Override
    public NodeFactory right() {
        return Stage5Nodes.inProcess();
    }

    @Override
    public NodeFactory behind() {
        return Stage5Nodes.inProcess("--clock-behind=1h");
    }
}
