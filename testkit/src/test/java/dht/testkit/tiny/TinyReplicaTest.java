package dht.testkit.tiny;

import dht.testkit.contract.FaultContract;
import dht.testkit.contract.QuorumContract;
import dht.testkit.node.InProcess;
import dht.testkit.node.NodeFactory;
import dht.testkit.node.NodeSpec;
import java.io.IOException;

/** The small replicated server keeps every promise: where it is wrong, it is wrong on purpose. */
class TinyReplicaTest implements QuorumContract, FaultContract {
    @Override
    public NodeFactory servers() {
        return InProcess.of(node -> new TinyReplica(node).start())
                .withClockBehind(InProcess.of(TinyReplicaTest::startBehind));
    }

    private static TinyServer startBehind(NodeSpec node) throws IOException {
        TinyReplica.setBack(node);
        return new TinyReplica(node).start();
    }
}
