package dht.stage5;

import dht.testkit.contract.NodeLossContract;
import dht.testkit.contract.QuorumReadContract;
import org.junit.jupiter.api.Nested;

/**
 * Reads see acknowledged writes, for each way of asking replicas, while all nodes are up and while
 * one is down.
 */
class LadderTest {
    @Nested
    class OneNioSequential extends OnRung implements QuorumReadContract, NodeLossContract {
        OneNioSequential() {
            super(Rung.ONE_NIO_SEQUENTIAL);
        }
    }

    @Nested
    class OneNioParallel extends OnRung implements QuorumReadContract, NodeLossContract {
        OneNioParallel() {
            super(Rung.ONE_NIO_PARALLEL);
        }
    }

    @Nested
    class JdkSequential extends OnRung implements QuorumReadContract, NodeLossContract {
        JdkSequential() {
            super(Rung.JDK_SEQUENTIAL);
        }
    }

    @Nested
    class JdkParallel extends OnRung implements QuorumReadContract, NodeLossContract {
        JdkParallel() {
            super(Rung.JDK_PARALLEL);
        }
    }

    @Nested
    class JdkAsyncOneByOne extends OnRung implements QuorumReadContract, NodeLossContract {
        JdkAsyncOneByOne() {
            super(Rung.JDK_ASYNC_ONE_BY_ONE);
        }
    }

    @Nested
    class JdkAsyncInPoolOneByOne extends OnRung implements QuorumReadContract, NodeLossContract {
        JdkAsyncInPoolOneByOne() {
            super(Rung.JDK_ASYNC_IN_POOL_ONE_BY_ONE);
        }
    }
}
