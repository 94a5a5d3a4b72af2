package dht.stage2;

import dht.testkit.contract.LifecycleContract;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.JarProcess;
import dht.testkit.node.NodeFactory;
import java.nio.file.Path;

/**
 * Stage 2 as its jar, with little memory, as a process that starts and stops. Every build tests
 * this in the JVM of the test, and with the processes of stage 1. That a killed process keeps its
 * writes is tested with stage 1, which has the same storage.
 */
@LongByNature
class Stage2ProcessIT implements LifecycleContract {
    @Override
    public NodeFactory servers() {
        return processes();
    }

    static NodeFactory processes() {
        JarProcess jar =
                JarProcess.of(Path.of("target/stage2-async.jar"))
                        .withClassArchive()
                        .jvmFlags("-Xmx128m")
                        .arguments(Stage2Test.PATIENT);
        return jar.withLimited(jar.arguments("--workers=1", "--queue-length=2"));
    }
}
