package dht.testkit.tiny;

import dht.testkit.contract.ShardingContract;
import dht.testkit.node.InProcess;
import dht.testkit.node.NodeFactory;

/** Checks that the small cluster keeps every promise, before faults are added to it. */
class TinyNodeTest implements ShardingContract {
    @Override
    public NodeFactory servers() {
        return InProcess.of(node -> new TinyNode(node).start());
    }
}
