package dht.stage1;

import dht.command.RunningServer;
import dht.command.StageCommand;
import dht.testkit.contract.DurabilityContract;
import dht.testkit.contract.EntityContract;
import dht.testkit.contract.HostileInputContract;
import dht.testkit.contract.LifecycleContract;
import dht.testkit.contract.RangeContract;
import dht.testkit.contract.StatusContract;
import dht.testkit.node.InProcess;
import dht.testkit.node.NodeFactory;
import dht.testkit.node.NodeSpec;
import java.io.IOException;

/** Stage 1 in the JVM of the test. After each stop, none of its threads may be running. */
class Stage1Test
        implements StatusContract,
                EntityContract,
                HostileInputContract,
                RangeContract,
                LifecycleContract,
                DurabilityContract {
    @Override
    public NodeFactory servers() {
        return InProcess.of(Stage1Test::start);
    }

    private static RunningServer start(NodeSpec node) throws IOException {
        Main main = new Main();
        StageCommand.lineOf(main)
                .parseArgs("--port", "" + node.port(), "--data", node.dataDir().toString());
        return RunningServer.start(main::start);
    }
}
