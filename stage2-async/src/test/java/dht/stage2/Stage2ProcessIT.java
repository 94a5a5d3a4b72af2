package dht.stage2;

import dht.testkit.contract.DurabilityContract;
import dht.testkit.contract.EntityContract;
import dht.testkit.contract.HostileInputContract;
import dht.testkit.contract.LifecycleContract;
import dht.testkit.contract.OverloadContract;
import dht.testkit.contract.RangeContract;
import dht.testkit.contract.StatusContract;
import dht.testkit.node.JarProcess;
import dht.testkit.node.NodeFactory;
import java.nio.file.Path;

/** Stage 2 as it is shipped, with little memory; a process can be killed. */
class Stage2ProcessIT
        implements StatusContract,
                EntityContract,
                HostileInputContract,
                RangeContract,
                LifecycleContract,
                DurabilityContract,
                OverloadContract {
    @Override
    public NodeFactory servers() {
        JarProcess jar =
                JarProcess.of(Path.of("target/stage2-async.jar"))
                        .jvmFlags("-Xmx128m")
                        .arguments(Stage2Test.PATIENT);
        return jar.withLimited(jar.arguments("--workers=1", "--queue-length=2"));
    }
}
