package dht.stage4;

import dht.testkit.contract.DamageContract;
import dht.testkit.node.NodeFactory;

/** Three nodes in the JVM of the test, of which one is damaged. They scrub all the time. */
class Stage4DamageTest implements DamageContract {
    @Override
    public NodeFactory servers() {
        return Stage4Nodes.inProcess("--scrub-interval=100ms", "--repair-interval=0s");
    }
}
