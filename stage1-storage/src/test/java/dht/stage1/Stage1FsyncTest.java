package dht.stage1;

import dht.command.RunningServer;
import dht.command.StageCommand;
import dht.testkit.contract.ExpectContract;
import dht.testkit.node.InProcess;
import dht.testkit.node.NodeFactory;
import dht.testkit.node.NodeSpec;
import java.io.IOException;

/** Stage 1 with writes that wait for a sync, so the answer comes from another thread. */
class Stage1FsyncTest implements ExpectContract {
    @Override
    public NodeFactory servers() {
        return InProcess.of(Stage1FsyncTest::start);
    }

    private static RunningServer start(NodeSpec node) throws IOException {
        Main main = new Main();
        StageCommand.lineOf(main)
                .parseArgs(
                        "--port=" + node.port(), "--data=" + node.dataDir(), "--durability=fsync");
        return RunningServer.start(main::start);
    }
}
