package dht.stage1;

import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.node.JarProcess;
import dht.testkit.node.NodeHome;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Processes of this stage find their classes in the class archive. */
class ClassArchiveIT {
    private static final Path JAR = Path.of("target/stage1-storage.jar");

    @Test
    void process_withClassArchive_usesItAndComplainsOfNothing() {
        var servers =
                JarProcess.of(JAR)
                        .withClassArchive()
                        .jvmFlags("-Xlog:class+load:file=target/class-archive.log");
        try (var home = NodeHome.start(servers, "archived")) {
            assertThat(Path.of(JAR + ".jsa")).isNotEmptyFile();
            assertThat(Path.of("target/class-archive.log"))
                    .content()
                    .contains("dht.stage1.Main source: shared objects file (top)");
            assertThat(home.node().logTail()).isEqualTo("ready " + home.node().spec().self());
        }
    }
}
