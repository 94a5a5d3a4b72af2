package dht.testkit.tiny;

import dht.testkit.contract.AntiEntropyContract;
import dht.testkit.node.InProcess;
import dht.testkit.node.NodeFactory;

/** The small server that compares itself keeps the promises: it is wrong only on purpose. */
class ComparingReplicaTest implements AntiEntropyContract {
    @Override
    public NodeFactory servers() {
        return InProcess.of(node -> new ComparingReplica(node).start());
    }
}
