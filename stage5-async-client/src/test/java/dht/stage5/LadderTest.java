package dht.stage5;

import dht.testkit.contract.NodeLossContract;
import dht.testkit.contract.QuorumReadContract;
import dht.testkit.node.NodeFactory;
import org.junit.jupiter.api.Nested;

/** However the replicas are asked: reads meet writes, with nodes up and with nodes down. */
class LadderTest {
    @Nested
    class OneNioSequential implements QuorumReadContract, NodeLossContract {
        @Override
        public NodeFactory servers() {
            return Rung.ONE_NIO_SEQUENTIAL.servers();
        }
    }

    @Nested
    class OneNioParallel implements QuorumReadContract, NodeLossContract {
        @Override
        public NodeFactory servers() {
            return Rung.ONE_NIO_PARALLEL.servers();
        }
    }

    @Nested
    class JdkSequential implements QuorumReadContract, NodeLossContract {
        @Override
        public NodeFactory servers() {
            return Rung.JDK_SEQUENTIAL.servers();
        }
    }

    @Nested
    class JdkParallel implements QuorumReadContract, NodeLossContract {
        @Override
        public NodeFactory servers() {
            return Rung.JDK_PARALLEL.servers();
        }
    }

    @Nested
    class JdkAsyncOneByOne implements QuorumReadContract, NodeLossContract {
        @Override
        public NodeFactory servers() {
            return Rung.JDK_ASYNC_ONE_BY_ONE.servers();
        }
    }

    @Nested
    class JdkAsyncInPoolOneByOne implements QuorumReadContract, NodeLossContract {
        @Override
        public NodeFactory servers() {
            return Rung.JDK_ASYNC_IN_POOL_ONE_BY_ONE.servers();
        }
    }
}
