package dht.stage5;

import dht.testkit.contract.HintedStopContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.NodeFactory;
import org.junit.jupiter.api.Nested;

/**
 * Nodes stop before a silent replica's timeout, for each way of asking replicas. So the client that
 * asks the replica is closed while it waits. The other ways than the default take long by their
 * number.
 */
class HintedStopTest {
    private static final String[] HASTY = {"--repair-interval=0s", "--drain-timeout=100ms"};

    @Nested
    class JdkAsyncGathered implements HintedStopContract {
        @Override
        public NodeFactory servers() {
            return Stage5Nodes.inProcess(HASTY);
        }
    }

    @Nested
    @LongByNature
    class OneNioSequential implements HintedStopContract {
        @Override
        public NodeFactory servers() {
            return Rung.ONE_NIO_SEQUENTIAL.servers(HASTY);
        }
    }

    @Nested
    @LongByNature
    class OneNioParallel implements HintedStopContract {
        @Override
        public NodeFactory servers() {
            return Rung.ONE_NIO_PARALLEL.servers(HASTY);
        }
    }

    @Nested
    @LongByNature
    class JdkSequential implements HintedStopContract {
        @Override
        public NodeFactory servers() {
            return Rung.JDK_SEQUENTIAL.servers(HASTY);
        }
    }

    @Nested
    @LongByNature
    class JdkParallel implements HintedStopContract {
        @Override
        public NodeFactory servers() {
            return Rung.JDK_PARALLEL.servers(HASTY);
        }
    }

    @Nested
    @LongByNature
    class JdkAsyncOneByOne implements HintedStopContract {
        @Override
        public NodeFactory servers() {
            return Rung.JDK_ASYNC_ONE_BY_ONE.servers(HASTY);
        }
    }

    @Nested
    @LongByNature
    class JdkAsyncInPoolOneByOne implements HintedStopContract {
        @Override
        public NodeFactory servers() {
            return Rung.JDK_ASYNC_IN_POOL_ONE_BY_ONE.servers(HASTY);
        }
    }
}
