package dht.stage5;

import dht.testkit.contract.NamesContract;
import dht.testkit.node.JarProcess;
import java.nio.file.Path;

/** Nodes that know each other by host names. */
class Stage5NamesIT implements NamesContract {
    @Override
    public JarProcess servers() {
        return JarProcess.of(Path.of("target/stage5-async-client.jar"))
                .withClassArchive()
                .jvmFlags("-Xmx128m");
    }
}
