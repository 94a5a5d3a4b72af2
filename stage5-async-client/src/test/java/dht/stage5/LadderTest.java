package dht.stage5;

import dht.testkit.contract.EntityContract;
import dht.testkit.contract.QuorumContract;
import dht.testkit.node.NodeFactory;
import org.junit.jupiter.api.Nested;

/** Whoever asks the replicas, and however: what is promised is the same. */
class LadderTest {
    @Nested
    class OneNioSequential implements EntityContract, QuorumContract {
        @Override
        public NodeFactory servers() {
            return Stage5Nodes.inProcess("--peer-client=one-nio", "--fan-out=sequential");
        }
    }

    @Nested
    class OneNioParallel implements EntityContract, QuorumContract {
        @Override
        public NodeFactory servers() {
            return Stage5Nodes.inProcess("--peer-client=one-nio", "--fan-out=parallel");
        }
    }

    @Nested
    class JdkSequential implements EntityContract, QuorumContract {
        @Override
        public NodeFactory servers() {
            return Stage5Nodes.inProcess("--peer-client=jdk", "--fan-out=sequential");
        }
    }

    @Nested
    class JdkParallel implements EntityContract, QuorumContract {
        @Override
        public NodeFactory servers() {
            return Stage5Nodes.inProcess("--peer-client=jdk", "--fan-out=parallel");
        }
    }

    @Nested
    class JdkAsyncOneByOne implements EntityContract, QuorumContract {
        @Override
        public NodeFactory servers() {
            return Stage5Nodes.inProcess("--peer-batch-max=1");
        }
    }

    @Nested
    class JdkAsyncInPoolOneByOne implements EntityContract, QuorumContract {
        @Override
        public NodeFactory servers() {
            return Stage5Nodes.inProcess(
                    "--peer-executor=pool", "--hedge-percentile=off", "--peer-batch-max=1");
        }
    }
}
