package dht.stage4;

import dht.testkit.contract.HintedStopContract;
import dht.testkit.node.NodeFactory;

/** Three nodes in the JVM of the test, which stop before a silent replica's timeout. */
class HintedStopTest implements HintedStopContract {
    @Override
    public NodeFactory servers() {
        return Stage4Nodes.inProcess("--repair-interval=0s", "--drain-timeout=100ms");
    }
}
