package dht.storage.file;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.OtherProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalDirectoryTest implements StorageDirectoryContract {
    @TempDir private Path path;
    private LocalDirectory directory;

    @BeforeEach
    void open() throws IOException {
        directory = LocalDirectory.open(path);
    }

    @AfterEach
    void close() {
        directory.close();
    }

    @Override
    public StorageDirectory directory() {
        return directory;
    }

    @Test
    void open_missingPath_makesIt() throws IOException {
        Path nested = path.resolve("a/b/c");

        LocalDirectory.open(nested).close();

        assertThat(nested).isDirectory();
    }

    @Test
    void open_fileInTheWay_fails() throws IOException {
        Path file = Files.createFile(path.resolve("file"));

        assertThatThrownBy(() -> LocalDirectory.open(file)).isInstanceOf(IOException.class);
    }

    @Test
    void open_twice_isRefusedWithPathAndPid() {
        assertThatThrownBy(() -> LocalDirectory.open(path))
                .isInstanceOf(DirectoryLockedException.class)
                .hasMessageContaining("path=" + directory)
                .hasMessageContaining("pid=" + ProcessHandle.current().pid());
    }

    @Test
    void open_throughSymbolicLink_isRefusedToo() throws IOException {
        Path link =
                Files.createSymbolicLink(path.resolveSibling(path.getFileName() + "-link"), path);
        try {
            assertThatThrownBy(() -> LocalDirectory.open(link))
                    .isInstanceOf(DirectoryLockedException.class);
        } finally {
            Files.delete(link);
        }
    }

    @Test
    void open_refusedOnce_keepsTheLock() throws Exception {
        assertThatThrownBy(() -> LocalDirectory.open(path)).isInstanceOf(IOException.class);

        assertThat(openInAnotherProcess()).contains("pid=" + ProcessHandle.current().pid());
    }

    @Test
    void open_afterClose_succeeds() throws Exception {
        directory.close();

        assertThat(openInAnotherProcess()).isEqualTo("opened");
        directory = LocalDirectory.open(path);
    }

    private String openInAnotherProcess() throws Exception {
        return OtherProcess.run(LocalDirectoryTest.class, path.toString());
    }

    /** What the other process does: tells whether it got the directory. */
    public static void main(String[] args) {
        try (LocalDirectory _ = LocalDirectory.open(Path.of(args[0]))) {
            System.out.println("opened");
        } catch (IOException e) {
            System.out.println(e.getMessage());
        }
    }

    @Test
    void createMapped_reserved_hasBlocksOnDisk() throws IOException {
        try (WritableMapping mapping = directory.createMapped("a", 1 << 20)) {
            long before = blockBytes("a");
            mapping.reserve(1 << 20);

            assertThat(before).isLessThan(1 << 20);
            assertThat(blockBytes("a")).isGreaterThanOrEqualTo(1 << 20);
        }
    }

    private long blockBytes(String name) throws IOException {
        // The number of 512-byte blocks; what a file with holes takes.
        Process stat =
                new ProcessBuilder("stat", "-c", "%b", path.resolve(name).toString()).start();
        try (var output = stat.getInputStream()) {
            return 512 * Long.parseLong(new String(output.readAllBytes()).strip());
        }
    }

    @Test
    void force_withoutInterrupt_survivesInterruptedThread() throws IOException {
        try (WritableMapping mapping = directory.createMapped("a", 1 << 20)) {
            Thread.currentThread().interrupt();
            mapping.reserve(1 << 19);
            mapping.memory().set(JAVA_BYTE, 0, (byte) 1);
            mapping.force(4096);

            assertThat(Thread.interrupted()).isTrue();
            mapping.reserve(1 << 20);
        }
    }

    @Test
    void list_lockFile_isNotListed() throws IOException {
        assertThat(path.resolve(LocalDirectory.LOCK_FILE)).exists();
        assertThat(directory.list()).isEmpty();
    }
}
