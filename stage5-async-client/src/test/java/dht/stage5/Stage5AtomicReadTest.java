package dht.stage5;

import dht.testkit.contract.AtomicReadContract;
import dht.testkit.contract.RegularReadContract;
import dht.testkit.node.NodeFactory;

/** Three nodes in the JVM of the test, which only atomic reads can heal. */
class Stage5AtomicReadTest implements AtomicReadContract, RegularReadContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.inProcess(
                "--read-repair=off", "--hint-window=0s", "--repair-interval=0s");
    }
}
