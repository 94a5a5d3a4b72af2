package dht.stage5;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The code that connects the parts of a stage stays short: it must be readable in a few minutes.
 */
class WiringTest {
    private static final int LINE_COUNT_MAX = 100;

    /** All files of {@code dht.stageN} together, without imports and empty lines. */
    @ParameterizedTest
    @CsvSource({
        "stage1-storage, stage1",
        "stage2-async, stage2",
        "stage3-sharding, stage3",
        "stage4-replication, stage4",
        "stage5-async-client, stage5"
    })
    void wiring_ofEachStage_isShort(String module, String stage) throws IOException {
        Path directory = Path.of("..", module, "src/main/java/dht", stage);
        try (Stream<Path> files = Files.list(directory)) {
            List<String> lines = files.flatMap(WiringTest::linesToRead).toList();
            assertThat(lines).hasSizeBetween(10, LINE_COUNT_MAX);
        }
    }

    private static Stream<String> linesToRead(Path file) {
        try {
            return Files.readAllLines(file).stream()
                    .filter(line -> !line.isBlank() && !line.startsWith("import "));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
