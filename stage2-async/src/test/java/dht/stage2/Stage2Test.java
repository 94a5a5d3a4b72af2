package dht.stage2;

import dht.command.StageCommand;
import dht.testkit.ServerUnderTest;
import dht.testkit.concurrent.Crew;
import dht.testkit.contract.DurabilityContract;
import dht.testkit.contract.EntityContract;
import dht.testkit.contract.HostileInputContract;
import dht.testkit.contract.LifecycleContract;
import dht.testkit.contract.RangeContract;
import dht.testkit.contract.StatusContract;
import dht.testkit.http.Connection;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.Keeps;
import dht.testkit.node.InProcess;
import dht.testkit.node.NodeFactory;
import dht.testkit.node.NodeSpec;
import dht.testkit.transcript.Promise;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Stage 2 in the JVM of the test, where no thread may be left behind. */
class Stage2Test
        implements StatusContract,
                EntityContract,
                HostileInputContract,
                RangeContract,
                LifecycleContract,
                DurabilityContract {
    @Override
    public NodeFactory servers() {
        return InProcess.of(Stage2Test::start);
    }

    /** A worker ends a range that small while a selector looks whether it has ended. */
    @Test
    @Keeps(Promise.ONE_RESPONSE_EACH)
    void range_withoutEntries_askedOften_isCompleteEachTime() {
        ServerUnderTest server = server();
        Request none = Request.get(Target.entities("none", "none0"));
        Crew.run(
                8,
                server.longPatience(),
                _ -> {
                    Connection connection = server.connect();
                    for (int i = 0; i < 500; i++) {
                        connection.send(none).receive().expectChunks(List.of());
                    }
                });
    }

    private static Stage2Server start(NodeSpec node) throws IOException {
        Main main = new Main();
        StageCommand.lineOf(main)
                .parseArgs("--port", "" + node.port(), "--data", node.dataDir().toString());
        return main.start();
    }
}
