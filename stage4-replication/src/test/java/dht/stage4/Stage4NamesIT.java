package dht.stage4;

import dht.testkit.contract.NamesContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.JarProcess;
import java.nio.file.Path;

/**
 * Nodes that know each other by host names. Every build tests this with stage 3: the same peers.
 */
@LongByNature
class Stage4NamesIT implements NamesContract {
    @Override
    public JarProcess servers() {
        return JarProcess.of(Path.of("target/stage4-replication.jar"))
                .withClassArchive()
                .jvmFlags("-Xmx128m");
    }
}
