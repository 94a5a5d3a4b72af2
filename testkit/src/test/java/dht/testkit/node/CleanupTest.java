package dht.testkit.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CleanupTest {
    @TempDir private Path directory;

    @Test
    void directory_made_isEmptyAndGoneOnceDeleted() throws Exception {
        var made = Cleanup.directory("node");
        try {
            assertThat(made).isEmptyDirectory();
            Files.createFile(made.resolve("file"));
        } finally {
            Cleanup.delete(made);
        }
        assertThat(made).doesNotExist();
    }

    @Test
    void parent_withRoom_isUsed() throws Exception {
        assertThat(Cleanup.hasRoom(directory.toString(), 1)).isTrue();
    }

    @Test
    void parent_withLessRoomThanNeeded_isNotUsed() throws Exception {
        assertThat(Cleanup.hasRoom(directory.toString(), Long.MAX_VALUE)).isFalse();
    }

    @Test
    void parent_thatIsNoDirectory_isNotUsed() throws Exception {
        var file = Files.createFile(directory.resolve("file"));

        assertThat(Cleanup.hasRoom("", 0)).isFalse();
        assertThat(Cleanup.hasRoom(file.toString(), 0)).isFalse();
        assertThat(Cleanup.hasRoom(directory.resolve("missing").toString(), 0)).isFalse();
    }
}
