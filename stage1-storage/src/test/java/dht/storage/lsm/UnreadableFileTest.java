package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.FastTempDir;
import dht.storage.OtherProcess;
import dht.testkit.junit.LongByNature;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A mapped page that cannot be read fails only the reads that need it. */
@Timeout(120)
class UnreadableFileTest {
    @TempDir(factory = FastTempDir.class)
    Path path;

    /** In code that a JVM interprets or compiles fast: a fault is told in another way in each. */
    @ParameterizedTest
    @CsvSource({
        "sst, -Xint, 0",
        "sst, -XX:TieredStopAtLevel=1, 50",
        "log, -Xint, 0",
        "log, -XX:TieredStopAtLevel=1, 50",
    })
    void read_ofTruncatedFile_isCorruption(String suffix, String mode, int rounds)
            throws Exception {
        expectCorruption(suffix, mode, rounds);
    }

    @LongByNature
    @ParameterizedTest
    @CsvSource({"sst, -XX:-TieredCompilation, 300", "log, -XX:-TieredCompilation, 300"})
    void read_ofTruncatedFileInOptimisedCode_isCorruption(String suffix, String mode, int rounds)
            throws Exception {
        expectCorruption(suffix, mode, rounds);
    }

    private void expectCorruption(String suffix, String mode, int rounds) throws Exception {
        String printed =
                OtherProcess.run(
                        List.of(mode),
                        TruncatedFiles.class,
                        path.toString(),
                        suffix,
                        String.valueOf(rounds));

        assertThat(printed).endsWith("alive").contains("corrupt=").contains("found=");
        assertThat(printed.replaceAll("=\\d+", ""))
                .isEqualTo(
                        suffix.equals("sst")
                                ? "{corrupt, found, not compacted} alive"
                                : "{corrupt, found} alive");
    }
}
