package dht.command;

import static org.assertj.core.api.Assertions.assertThat;

import dht.http.HttpOptions;
import dht.storage.Durability;
import dht.storage.StorageOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

class StageCommandTest {
    @TempDir private Path directory;

    /** A stage's command without a server. */
    @Command(name = "stage")
    private static final class Probe implements Callable<Integer> {
        @Mixin private ListenFlags listen;

        @Mixin private StorageFlags storage;

        @Option(names = "--config")
        private Path config;

        private HttpOptions http;
        private StorageOptions options;

        @Override
        public Integer call() {
            http = listen.httpOptions();
            options = storage.storageOptions();
            return 0;
        }
    }

    private final Probe probe = new Probe();

    @Test
    void run_noOptions_usesTheDocumentedDefaults() {
        assertThat(StageCommand.run(probe)).isZero();
        assertThat(probe.options)
                .usingRecursiveComparison()
                .ignoringFields("clock")
                .isEqualTo(StorageOptions.defaults());
        assertThat(probe.http.idleTimeout()).isEqualTo(Duration.ofSeconds(60));
        assertThat(probe.http.headTimeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(probe.http.drainTimeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(probe.http.dataRateMin()).isEqualTo(256);
        assertThat(probe.http.dataRateWindow()).isEqualTo(Duration.ofSeconds(10));
        assertThat(probe.http.headBytesMax()).isEqualTo(16 << 10);
        assertThat(probe.http.bodyBytesMax()).isEqualTo(16 << 20);
        assertThat(probe.http.rangeCountMax()).isEqualTo(64);
    }

    @Test
    void run_allOptions_setsThem() {
        int exitCode =
                StageCommand.run(
                        probe,
                        "--durability=FSYNC",
                        "--memtable-size=8m",
                        "--memtables-max=3",
                        "--write-stall-max=2s",
                        "--block-size=1k",
                        "--bloom-bits=12",
                        "--compaction-fan-in=5",
                        "--tables-max=20",
                        "--idle-timeout=1h",
                        "--connection-memory-max=1g");
        assertThat(exitCode).isZero();
        assertThat(probe.options.durability()).isEqualTo(Durability.FSYNC);
        assertThat(probe.options.memTableBytes()).isEqualTo(8 << 20);
        assertThat(probe.options.memTableCountMax()).isEqualTo(3);
        assertThat(probe.options.writeStallMax()).isEqualTo(Duration.ofSeconds(2));
        assertThat(probe.options.blockBytes()).isEqualTo(1024);
        assertThat(probe.options.bloomBitsPerKey()).isEqualTo(12);
        assertThat(probe.options.compactionFanIn()).isEqualTo(5);
        assertThat(probe.options.tableCountMax()).isEqualTo(20);
        assertThat(probe.http.idleTimeout()).isEqualTo(Duration.ofHours(1));
        assertThat(probe.http.connectionMemoryBytesMax()).isEqualTo(1L << 30);
    }

    @Test
    void run_configFile_standsInForWhatTheCommandLineLeavesOut() throws IOException {
        Path file =
                Files.writeString(
                        directory.resolve("a.properties"), "durability=none\nmemtable-size=1m\n");
        assertThat(StageCommand.run(probe, "--config", file.toString(), "--memtable-size", "2m"))
                .isZero();
        assertThat(probe.options.durability()).isEqualTo(Durability.NONE);
        assertThat(probe.options.memTableBytes()).isEqualTo(2 << 20);
    }

    @Test
    void run_wrongCommandLine_exits2() throws IOException {
        Path unknown = Files.writeString(directory.resolve("b.properties"), "dureability=none\n");
        assertThat(StageCommand.run(probe, "--nope")).isEqualTo(2);
        assertThat(StageCommand.run(probe, "--durability=sometimes")).isEqualTo(2);
        assertThat(StageCommand.run(probe, "--memtable-size=64q")).isEqualTo(2);
        assertThat(StageCommand.run(probe, "--idle-timeout=60")).isEqualTo(2);
        assertThat(StageCommand.run(probe, "--block-size=1m")).isEqualTo(2);
        assertThat(StageCommand.run(probe, "--tables-max=2")).isEqualTo(2);
        assertThat(StageCommand.run(probe, "--config=" + directory.resolve("missing")))
                .isEqualTo(2);
        assertThat(StageCommand.run(probe, "--config=" + unknown)).isEqualTo(2);
    }
}
