package dht.stage1;

import dht.testkit.contract.DurabilityContract;
import dht.testkit.contract.EntityContract;
import dht.testkit.contract.HostileInputContract;
import dht.testkit.contract.LifecycleContract;
import dht.testkit.contract.RangeContract;
import dht.testkit.contract.StatusContract;
import dht.testkit.node.JarProcess;
import dht.testkit.node.NodeFactory;
import java.nio.file.Path;

/** Stage 1 as its jar, with little memory, as a process that can be killed. */
class Stage1ProcessIT
        implements StatusContract,
                EntityContract,
                HostileInputContract,
                RangeContract,
                LifecycleContract,
                DurabilityContract {
    @Override
    public NodeFactory servers() {
        return JarProcess.of(Path.of("target/stage1-storage.jar"))
                .withClassArchive()
                .jvmFlags("-Xmx128m");
    }
}
