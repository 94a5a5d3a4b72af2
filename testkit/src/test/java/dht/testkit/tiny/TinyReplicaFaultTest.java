package dht.testkit.tiny;

import dht.testkit.Keys;
import dht.testkit.Values;
import dht.testkit.contract.FaultContract;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.InProcess;
import dht.testkit.node.NodeFactory;
import dht.testkit.node.NodeSpec;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;

/** Checks that the small replicated server loses nothing while nodes fail under load. */
@LongByNature
class TinyReplicaFaultTest implements FaultContract {
    @Override
    public NodeFactory servers() {
        return InProcess.of(node -> new TinyReplica(node).start())
                .withClockBehind(InProcess.of(TinyReplicaFaultTest::startBehind));
    }

    /** As a client may, and as tests before these do. The nodes then differ, and may. */
    @BeforeEach
    void putOnOneNodeOnly() {
        var node = cluster().node(0);
        var target = Target.entity(Keys.unique(), "replicas=1/1");
        node.ask(Request.put(target, Values.small())).expectStatus(201);
    }

    private static TinyServer startBehind(NodeSpec node) throws IOException {
        TinyReplica.setBack(node);
        return new TinyReplica(node).start();
    }
}
