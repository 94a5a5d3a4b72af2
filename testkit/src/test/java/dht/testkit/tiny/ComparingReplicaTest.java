package dht.testkit.tiny;

import dht.testkit.contract.AntiEntropyContract;
import dht.testkit.node.InProcess;
import dht.testkit.node.NodeFactory;

/**
 * Checks that the small server with comparisons keeps every promise, before faults are added to it.
 */
class ComparingReplicaTest implements AntiEntropyContract {
    @Override
    public NodeFactory servers() {
        return InProcess.of(node -> new ComparingReplica(node).start());
    }
}
