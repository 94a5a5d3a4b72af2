package dht.stage5;

import dht.testkit.contract.EntityContract;
import dht.testkit.contract.QuorumHistoryContract;
import dht.testkit.contract.ReplicaParameterContract;
import dht.testkit.contract.ReplicaPlacementContract;
import dht.testkit.junit.LongByNature;
import org.junit.jupiter.api.Nested;

/**
 * The other promises of a cluster, for each way of asking replicas. The promises that depend on the
 * way are tested in {@link LadderTest}.
 */
@LongByNature
class LadderRequestsTest {
    private interface Requests
            extends EntityContract,
                    ReplicaParameterContract,
                    ReplicaPlacementContract,
                    QuorumHistoryContract {}

    @Nested
    class OneNioSequential extends OnRung implements Requests {
        OneNioSequential() {
            super(Rung.ONE_NIO_SEQUENTIAL);
        }
    }

    @Nested
    class OneNioParallel extends OnRung implements Requests {
        OneNioParallel() {
            super(Rung.ONE_NIO_PARALLEL);
        }
    }

    @Nested
    class JdkSequential extends OnRung implements Requests {
        JdkSequential() {
            super(Rung.JDK_SEQUENTIAL);
        }
    }

    @Nested
    class JdkParallel extends OnRung implements Requests {
        JdkParallel() {
            super(Rung.JDK_PARALLEL);
        }
    }

    @Nested
    class JdkAsyncOneByOne extends OnRung implements Requests {
        JdkAsyncOneByOne() {
            super(Rung.JDK_ASYNC_ONE_BY_ONE);
        }
    }

    @Nested
    class JdkAsyncInPoolOneByOne extends OnRung implements Requests {
        JdkAsyncInPoolOneByOne() {
            super(Rung.JDK_ASYNC_IN_POOL_ONE_BY_ONE);
        }
    }
}
