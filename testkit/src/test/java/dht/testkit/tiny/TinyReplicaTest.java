package dht.testkit.tiny;

import dht.testkit.contract.AntiEntropyContract;
import dht.testkit.contract.AtomicReadContract;
import dht.testkit.contract.ClusterRangeContract;
import dht.testkit.contract.HealingContract;
import dht.testkit.contract.QuorumContract;
import dht.testkit.contract.ReplacementContract;
import dht.testkit.node.InProcess;
import dht.testkit.node.NodeFactory;

/** Checks that the small replicated server keeps every promise, before faults are added to it. */
class TinyReplicaTest
        implements QuorumContract,
                AtomicReadContract,
                HealingContract,
                AntiEntropyContract,
                ReplacementContract,
                ClusterRangeContract {
    @Override
    public NodeFactory servers() {
        return InProcess.of(node -> new TinyReplica(node).start());
    }
}
