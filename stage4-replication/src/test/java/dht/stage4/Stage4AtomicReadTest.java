package dht.stage4;

import dht.testkit.contract.AtomicReadContract;
import dht.testkit.contract.RegularReadContract;
import dht.testkit.node.NodeFactory;

/** Three nodes in the JVM of the test, which only atomic reads can heal. */
class Stage4AtomicReadTest implements AtomicReadContract, RegularReadContract {
    @Override
    public NodeFactory servers() {
        return Stage4Nodes.inProcess(
                "--read-repair=off", "--hint-window=0s", "--repair-interval=0s");
    }
}
