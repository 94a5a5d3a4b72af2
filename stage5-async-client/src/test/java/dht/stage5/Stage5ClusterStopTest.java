package dht.stage5;

import dht.testkit.contract.ClusterStopContract;
import dht.testkit.node.NodeFactory;

/** Three nodes in the JVM of the test. After a stop, none of their threads may be running. */
class Stage5ClusterStopTest implements ClusterStopContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.inProcess();
    }
}
