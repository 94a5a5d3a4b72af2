package dht.stage4;

import dht.testkit.contract.StalledForwardingContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/** Three nodes in the JVM of the test, with little memory for their connections. */
@LongByNature
class StalledForwardingTest implements StalledForwardingContract {
    @Override
    public NodeFactory nodes(String... options) {
        return Stage4Nodes.inProcess(options);
    }
}
