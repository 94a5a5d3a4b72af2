package dht.stage1;

import dht.testkit.contract.LifecycleContract;
import dht.testkit.node.JarProcess;
import dht.testkit.node.NodeFactory;
import java.nio.file.Path;

/**
 * Stage 1 as its jar, with little memory, as a process that starts and stops. The other answers to
 * requests are tested in the JVM of the test.
 */
class Stage1ProcessIT implements LifecycleContract {
    @Override
    public NodeFactory servers() {
        return processes();
    }

    static NodeFactory processes() {
        return JarProcess.of(Path.of("target/stage1-storage.jar"))
                .withClassArchive()
                .jvmFlags("-Xmx128m");
    }
}
