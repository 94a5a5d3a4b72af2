package dht.stage4;

import dht.testkit.contract.AntiEntropyContract;
import dht.testkit.node.NodeFactory;

/** Three nodes in the JVM of the test, which only comparisons can heal. */
class Stage4AntiEntropyTest implements AntiEntropyContract {
    @Override
    public NodeFactory servers() {
        return Stage4Nodes.inProcess("--hint-window=0s", "--read-repair=off");
    }
}
