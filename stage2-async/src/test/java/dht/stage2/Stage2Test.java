package dht.stage2;

import dht.command.RunningServer;
import dht.command.StageCommand;
import dht.execution.ExecutorKind;
import dht.testkit.ServerUnderTest;
import dht.testkit.concurrent.ClientThreads;
import dht.testkit.contract.DurabilityContract;
import dht.testkit.contract.EntityContract;
import dht.testkit.contract.HostileInputContract;
import dht.testkit.contract.LifecycleContract;
import dht.testkit.contract.OverloadContract;
import dht.testkit.contract.RangeContract;
import dht.testkit.contract.StatusContract;
import dht.testkit.http.Connection;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.Verifies;
import dht.testkit.node.InProcess;
import dht.testkit.node.NodeFactory;
import dht.testkit.node.NodeSpec;
import dht.testkit.transcript.Promise;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Stage 2 in the JVM of the test. After each stop, none of its threads may be running. */
class Stage2Test
        implements StatusContract,
                EntityContract,
                HostileInputContract,
                RangeContract,
                LifecycleContract,
                DurabilityContract,
                OverloadContract {
    /** A machine that stalls is not to be taken for an overload. */
    static final String PATIENT = "--queue-deadline=10s";

    @Override
    public NodeFactory servers() {
        return on(ExecutorKind.FIFO);
    }

    /** Servers whose requests are worked on by an executor of this kind. */
    static NodeFactory on(ExecutorKind kind) {
        String executor = "--executor=" + kind;
        NodeFactory ordinary = with(executor);
        return kind == ExecutorKind.INLINE // It has no limits.
                ? ordinary
                : ordinary.withLimited(with(executor, "--workers=1", "--queue-length=2"));
    }

    /** Servers with these options. */
    static NodeFactory with(String... options) {
        return InProcess.of(node -> start(node, options));
    }

    /** A worker ends a range that small while a selector looks whether it has ended. */
    @Test
    @Verifies(Promise.ONE_RESPONSE_EACH)
    void range_withoutEntries_askedOften_isCompleteEachTime() {
        ServerUnderTest server = server();
        Request none = Request.get(Target.entities("none", "none0"));
        ClientThreads.run(
                8,
                server.longPatience(),
                _ -> {
                    Connection connection = server.connect();
                    for (int i = 0; i < 500; i++) {
                        connection.send(none).receive().expectChunks(List.of());
                    }
                });
    }

    private static RunningServer start(NodeSpec node, String... more) throws IOException {
        Main main = new Main();
        List<String> arguments = new ArrayList<>(List.of(more));
        Collections.addAll(arguments, PATIENT, "--port=" + node.port(), "--data=" + node.dataDir());
        StageCommand.lineOf(main).parseArgs(arguments.toArray(String[]::new));
        return RunningServer.start(main::start);
    }
}
