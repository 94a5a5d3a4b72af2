package dht.testkit.runner;

import dht.testkit.contract.AtomicReadContract;
import dht.testkit.contract.FaultContract;
import dht.testkit.contract.HealingContract;
import dht.testkit.contract.QuorumContract;
import dht.testkit.contract.ReplacementContract;
import dht.testkit.node.NodeFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What stage 4 promises beyond the stages before it, of a cluster of three nodes. Stage 5 promises
 * the same.
 */
@ExtendWith(SuppliedFactory.class)
public final class Stage4Suite
        implements QuorumContract,
                AtomicReadContract,
                HealingContract,
                ReplacementContract,
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
