package dht.stage5;

import dht.testkit.contract.EntityContract;
import dht.testkit.contract.QuorumHistoryContract;
import dht.testkit.contract.ReplicaParameterContract;
import dht.testkit.contract.ReplicaPlacementContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;
import org.junit.jupiter.api.Nested;

/**
 * However the replicas are asked: the rest of what is promised. What differs from rung to rung is
 * in {@link LadderTest}.
 */
@LongByNature
class LadderRequestsTest {
    @Nested
    class OneNioSequential
            implements EntityContract,
                    ReplicaParameterContract,
                    ReplicaPlacementContract,
                    QuorumHistoryContract {
        @Override
        public NodeFactory servers() {
            return Rung.ONE_NIO_SEQUENTIAL.servers();
        }
    }

    @Nested
    class OneNioParallel
            implements EntityContract,
                    ReplicaParameterContract,
                    ReplicaPlacementContract,
                    QuorumHistoryContract {
        @Override
        public NodeFactory servers() {
            return Rung.ONE_NIO_PARALLEL.servers();
        }
    }

    @Nested
    class JdkSequential
            implements EntityContract,
                    ReplicaParameterContract,
                    ReplicaPlacementContract,
                    QuorumHistoryContract {
        @Override
        public NodeFactory servers() {
            return Rung.JDK_SEQUENTIAL.servers();
        }
    }

    @Nested
    class JdkParallel
            implements EntityContract,
                    ReplicaParameterContract,
                    ReplicaPlacementContract,
                    QuorumHistoryContract {
        @Override
        public NodeFactory servers() {
            return Rung.JDK_PARALLEL.servers();
        }
    }

    @Nested
    class JdkAsyncOneByOne
            implements EntityContract,
                    ReplicaParameterContract,
                    ReplicaPlacementContract,
                    QuorumHistoryContract {
        @Override
        public NodeFactory servers() {
            return Rung.JDK_ASYNC_ONE_BY_ONE.servers();
        }
    }

    @Nested
    class JdkAsyncInPoolOneByOne
            implements EntityContract,
                    ReplicaParameterContract,
                    ReplicaPlacementContract,
                    QuorumHistoryContract {
        @Override
        public NodeFactory servers() {
            return Rung.JDK_ASYNC_IN_POOL_ONE_BY_ONE.servers();
        }
    }
}
