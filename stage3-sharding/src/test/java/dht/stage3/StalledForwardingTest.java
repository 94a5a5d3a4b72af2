package dht.stage3;

import dht.testkit.contract.StalledForwardingContract;
import dht.testkit.node.NodeFactory;

/** Three nodes in the JVM of the test, with little memory for their connections. */
class StalledForwardingTest implements StalledForwardingContract {
    @Override
    public NodeFactory nodes(String... options) {
        return Stage3Nodes.inProcess(options);
    }
}
