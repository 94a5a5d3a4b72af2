package dht.testkit.tiny;

import dht.testkit.contract.FaultContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.InProcess;
import dht.testkit.node.NodeFactory;
import dht.testkit.node.NodeSpec;
import java.io.IOException;

/** Checks that the small replicated server loses nothing while nodes fail under load. */
@LongByNature
class TinyReplicaFaultTest implements FaultContract {
    @Override
    public NodeFactory servers() {
        return InProcess.of(node -> new TinyReplica(node).start())
                .withClockBehind(InProcess.of(TinyReplicaFaultTest::startBehind));
    }

    private static TinyServer startBehind(NodeSpec node) throws IOException {
        TinyReplica.setBack(node);
        return new TinyReplica(node).start();
    }
}
