package dht.testkit.runner;

import dht.testkit.contract.AntiEntropyContract;
import dht.testkit.contract.AtomicReadContract;
import dht.testkit.contract.ClusterRangeContract;
import dht.testkit.contract.FaultContract;
import dht.testkit.contract.HealingContract;
import dht.testkit.contract.QuorumContract;
import dht.testkit.contract.ReplacementContract;
import dht.testkit.node.NodeFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The suite of stages 4 and 5: the promises that the earlier stages do not make, for a cluster of
 * three nodes.
 */
@ExtendWith(SuppliedFactory.class)
public final class Stage4Suite
        implements QuorumContract,
                AtomicReadContract,
                HealingContract,
                AntiEntropyContract,
                ReplacementContract,
                ClusterRangeContract,
                FaultContract {
    private final NodeFactory factory;

    Stage4Suite(NodeFactory factory) {
        this.factory = factory;
    }

    @Override
    public NodeFactory servers() {
        return factory;
    }
}
