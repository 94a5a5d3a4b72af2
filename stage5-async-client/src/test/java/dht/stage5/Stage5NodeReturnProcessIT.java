package dht.stage5;

import dht.testkit.contract.NodeReturnContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;

/**
 * Three processes that are stopped and start again on the same directories. Every build tests this
 * in the JVM of the test, and restarts single processes.
 */
@LongByNature
class Stage5NodeReturnProcessIT implements NodeReturnContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.processes();
    }
}
