package dht.repair;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptDataTest {
    private static final String NAME = KeptData.name(Instant.parse("2026-11-25T07:00:00Z"));

    @TempDir Path data;

    @Test
    void name_hasTheTime() {
        assertThat(NAME).isEqualTo("kept-20261125T070000Z");
    }

    @Test
    void move_takesTheFilesOfTheStorage_andLeavesDirectories() throws IOException {
        write("MANIFEST", "manifest");
        write("00000001.log", "log");
        Files.createDirectory(data.resolve("node"));
        Files.createDirectory(data.resolve("hints"));

        Path kept = KeptData.move(data, NAME);

        assertThat(kept).isEqualTo(data.resolve(NAME));
        assertThat(names(kept)).containsExactlyInAnyOrder("MANIFEST", "00000001.log");
        assertThat(kept.resolve("00000001.log")).hasContent("log");
        assertThat(names(data))
                .contains("node", "hints", NAME)
                .doesNotContain("MANIFEST", "00000001.log");
    }

    /** A process may be killed at any moment. */
    @Test
    void move_interruptedAndCalledAgain_takesTheRest() throws IOException {
        write("MANIFEST", "manifest");
        write("00000001.log", "log");
        Path kept = Files.createDirectory(data.resolve(NAME));
        Files.move(data.resolve("00000001.log"), kept.resolve("00000001.log"));

        KeptData.move(data, NAME);
        KeptData.move(data, NAME);

        assertThat(names(kept)).containsExactlyInAnyOrder("MANIFEST", "00000001.log");
    }

    private void write(String name, String text) throws IOException {
        Files.writeString(data.resolve(name), text);
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}
