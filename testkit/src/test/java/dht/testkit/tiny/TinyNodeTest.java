package dht.testkit.tiny;

import dht.testkit.contract.ShardingContract;
import dht.testkit.node.InProcess;
import dht.testkit.node.NodeFactory;

/** The small cluster that the wrong ones are made from keeps every promise itself. */
class TinyNodeTest implements ShardingContract {
    @Override
    public NodeFactory servers() {
        return InProcess.of(node -> new TinyNode(node).start());
    }
}
