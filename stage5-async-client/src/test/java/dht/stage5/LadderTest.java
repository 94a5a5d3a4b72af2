package dht.stage5;

import dht.testkit.contract.NodeLossContract;
import dht.testkit.contract.NodeReturnContract;
import dht.testkit.contract.QuorumReadContract;
import dht.testkit.junit.LongByNature;
import org.junit.jupiter.api.Nested;

/**
 * Reads see acknowledged writes, for each way of asking replicas, while all nodes are up, while
 * nodes are down, and after their return. Every build tests the first two ways, and the other tests
 * of this stage the last one; the ways between take long by their number.
 */
class LadderTest {
    interface Quorums extends QuorumReadContract, NodeLossContract, NodeReturnContract {}

    @Nested
    class OneNioSequential extends OnRung implements Quorums {
        OneNioSequential() {
            super(Rung.ONE_NIO_SEQUENTIAL);
        }
    }

    @Nested
    class OneNioParallel extends OnRung implements Quorums {
        OneNioParallel() {
            super(Rung.ONE_NIO_PARALLEL);
        }
    }

    @Nested
    @LongByNature
    class JdkSequential extends OnRung implements Quorums {
        JdkSequential() {
            super(Rung.JDK_SEQUENTIAL);
        }
    }

    @Nested
    @LongByNature
    class JdkParallel extends OnRung implements Quorums {
        JdkParallel() {
            super(Rung.JDK_PARALLEL);
        }
    }

    @Nested
    @LongByNature
    class JdkAsyncOneByOne extends OnRung implements Quorums {
        JdkAsyncOneByOne() {
            super(Rung.JDK_ASYNC_ONE_BY_ONE);
        }
    }

    @Nested
    @LongByNature
    class JdkAsyncInPoolOneByOne extends OnRung implements Quorums {
        JdkAsyncInPoolOneByOne() {
            super(Rung.JDK_ASYNC_IN_POOL_ONE_BY_ONE);
        }
    }
}
