package dht.stage1;

import dht.testkit.contract.HostileCrowdContract;
import dht.testkit.junit.Alone;
import dht.testkit.node.JarProcess;
import dht.testkit.node.NodeFactory;
import java.nio.file.Path;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Stage 1 as its jar, started as users start it, against thousands of hostile connections. */
@Alone
@EnabledOnOs(OS.LINUX)
class Stage1CrowdProcessIT implements HostileCrowdContract {
    @Override
    public int nodeCount() {
        return 1;
    }

    @Override
    public long connectionMemoryBytes() {
        return 64 << 20;
    }

    @Override
    public NodeFactory servers() {
        return JarProcess.of(Path.of("target/stage1-storage.jar"))
                .withClassArchive()
                .survivingWithoutMemory()
                .jvmFlags("-Xmx256m")
                .arguments("--memtable-size=4m", "--connection-memory-max=64m");
    }
}
