package dht.storage.file;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.CorruptionException;
import dht.storage.OtherProcess;
import dht.storage.SmallDisk;
import dht.storage.memory.MappedMemory;
import dht.testkit.allocation.AllocationLoader;
import dht.testkit.allocation.Allocations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    void make_missingPath_syncsTheNameOfEachNewDirectory() throws IOException {
        Path nested = path.resolve("a/b");
        List<Path> synced = new ArrayList<>();

        LocalDirectory.make(nested, synced::add);
        LocalDirectory.make(nested, synced::add); // Nothing is new.

        assertThat(nested).isDirectory();
        assertThat(synced).containsExactly(path, path.resolve("a"));
    }

    @Test
    void make_nameCannotBeSynced_leavesNothingNew() {
        Path nested = path.resolve("a/b");
        IOException failure = new IOException("injected");

        assertThatThrownBy(
                        () ->
                                LocalDirectory.make(
                                        nested,
                                        directory -> {
                                            if (directory.equals(nested.getParent())) {
                                                throw failure;
                                            }
                                        }))
                .isSameAs(failure);
        assertThat(nested.getParent()).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 8, 9, 10})
    void write_inPieces_writesAllOfThem(long pieceBytesMax) throws IOException {
        Path file = path.resolve("pieces");
        FileChannel channel = FileChannel.open(file, CREATE_NEW, WRITE);
        try (FileWriter writer = new LocalDirectory.ChannelWriter(channel, pieceBytesMax)) {
            writer.write(MemorySegment.ofArray("123456789".getBytes(US_ASCII)));
        }

        assertThat(file).hasContent("123456789");
        assertThat(channel.isOpen()).as("the file is open still").isFalse();
    }

    @Test
    void openForReading_whileAnotherWrites_showsTheFiles() throws IOException {
        directory.create("a").close();

        try (LocalDirectory read = LocalDirectory.openForReading(path)) {
            assertThat(read.list()).containsExactly("a");
        }
        assertThat(directory.list()).as("the lock is kept").containsExactly("a");
        directory.delete("a");
    }

    @Test
    void openForReading_ofAFile_fails() throws IOException {
        Path file = Files.createFile(path.resolve("file"));

        assertThatThrownBy(() -> LocalDirectory.openForReading(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("path=" + file.toRealPath() + ": it is a file");
    }

    @Test
    void map_fileTruncatedMeanwhile_isCorruptionOfThisFile() throws IOException {
        Files.write(path.resolve("7.sst"), new byte[1 << 20]);

        try (MappedFile file = directory.map("7.sst")) {
            try (FileChannel channel = FileChannel.open(path.resolve("7.sst"), WRITE)) {
                channel.truncate(0);
            }
            assertThatThrownBy(() -> MappedMemory.copy(file.memory(), 100, new byte[10], 0, 10))
                    .isInstanceOf(CorruptionException.class)
                    .hasMessageContaining("7.sst");
        }
    }

    @Test
    void open_fileInTheWay_fails() throws IOException {
        Path file = Files.createFile(path.resolve("file"));

        assertThatThrownBy(() -> LocalDirectory.open(file))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("cannot use data directory: path=" + file)
                .hasMessageContaining("there is a file in its place: file=" + file);
        assertThatThrownBy(() -> LocalDirectory.open(file.resolve("below")))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("cannot use data directory: path=" + file + "/below: ");
    }

    @Test
    void open_readOnlyFileSystem_saysSo() throws Exception {
        try (SmallDisk disk = SmallDisk.mount(path.resolve("disk"), 1 << 20)) {
            disk.makeReadOnly();

            assertThatThrownBy(() -> LocalDirectory.open(disk.path()))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("cannot use data directory: path=" + disk.path())
                    .hasMessageContaining("Read-only file system")
                    .hasMessageContaining("user=" + System.getProperty("user.name"));
        }
    }

    @Test
    void open_noPermission_saysSo() {
        Path guarded = Path.of("/sys/kernel"); // Not even root may make files there.
        Assumptions.assumeTrue(Files.isDirectory(guarded), "there is no /sys/kernel here");

        assertThatThrownBy(() -> LocalDirectory.open(guarded))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("cannot use data directory: path=" + guarded)
                .hasMessageContaining("permission denied: file=/sys/kernel/LOCK")
                .hasMessageContaining("user=" + System.getProperty("user.name"));
    }

    /** A restart on a full disk must still be able to serve reads. */
    @Test
    void open_fullDisk_succeedsWhereItWasOpenBefore() throws Exception {
        try (SmallDisk disk = SmallDisk.mount(path.resolve("disk"), 1 << 20)) {
            LocalDirectory.open(disk.path()).close();
            disk.fill();

            LocalDirectory.open(disk.path()).close();
            assertThat(disk.path().resolve(LocalDirectory.LOCK_FILE))
                    .hasContent(Long.toString(ProcessHandle.current().pid()));
        }
    }

    @Test
    void createMapped_cannotBeMapped_leavesNoFile() throws IOException {
        assertThatThrownBy(() -> directory.createMapped("a", Long.MAX_VALUE))
                .isInstanceOfAny(IOException.class, IllegalArgumentException.class);

        assertThat(directory.list()).isEmpty();
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

    @Test
    void open_lockFileDeletedWhileALogIsWritten_isRefused() throws Exception {
        try (WritableMapping mapping = directory.createMapped("00000001.log", 1 << 16)) {
            mapping.reserve(4096);
            Files.delete(path.resolve(LocalDirectory.LOCK_FILE));

            assertThat(openInAnotherProcess())
                    .contains("data directory is in use: path=" + path.toRealPath())
                    .contains("locked file=00000001.log");
        }
    }

    /** As with durability none. */
    @Test
    void open_lockFileDeletedWhileNoLogIsWritten_isRefused() throws Exception {
        directory.create("MANIFEST").close();
        Files.delete(path.resolve(LocalDirectory.LOCK_FILE));

        assertThat(openInAnotherProcess())
                .contains("data directory is in use: path=" + path.toRealPath())
                .contains("locked file=LOCK.spare");
    }

    @Test
    void open_spareLockFileDeleted_isRefused() throws Exception {
        Files.delete(path.resolve(LocalDirectory.SPARE_LOCK_FILE));

        assertThat(openInAnotherProcess()).contains("pid=" + ProcessHandle.current().pid());
    }

    @Test
    void changes_lockFileReplaced_areRefused() throws Exception {
        directory.create("a").close();
        Files.delete(path.resolve(LocalDirectory.LOCK_FILE));
        Files.delete(path.resolve(LocalDirectory.SPARE_LOCK_FILE));
        assertThat(openInAnotherProcess()).isEqualTo("opened"); // No file was being written.

        List<ThrowingCallable> changes =
                List.of(
                        () -> directory.create("b"),
                        () -> directory.createMapped("c", 4096),
                        () -> directory.rename("a", "d"),
                        () -> directory.delete("a"));
        assertThat(changes)
                .allSatisfy(
                        change ->
                                assertThatThrownBy(change)
                                        .isInstanceOf(IOException.class)
                                        .hasMessageContaining("lock file was deleted or replaced")
                                        .hasMessageContaining("file=" + directory + "/LOCK"));
        assertThat(directory.list()).containsExactly("a");
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
        assertThat(path.resolve(LocalDirectory.SPARE_LOCK_FILE)).exists();
        assertThat(directory.list()).isEmpty();
    }

    /** After a failed sync, the engine accepts no writes until a restart. */
    @Test
    void force_noMemory_syncsNevertheless() throws Exception {
        new AllocationLoader(LocalDirectory.class).newScenario(WithoutMemory.class).accept(0);
    }

    /** Syncs a mapped file while every allocation fails. */
    static final class WithoutMemory implements LongConsumer {
        @Override
        public void accept(long unused) {
            try {
                Path path = Files.createTempDirectory("without-memory");
                try (LocalDirectory directory = LocalDirectory.open(path)) {
                    sync(directory);
                    directory.delete("a");
                }
                Files.delete(path.resolve(LocalDirectory.LOCK_FILE));
                Files.delete(path.resolve(LocalDirectory.SPARE_LOCK_FILE));
                Files.delete(path);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static void sync(LocalDirectory directory) throws IOException {
            try (WritableMapping mapping = directory.createMapped("a", 1 << 20)) {
                mapping.reserve(1 << 16);
                Allocations.fail(0, Long.MAX_VALUE / 2);
                mapping.force(100);
            } catch (OutOfMemoryError e) { // JUnit would end the JVM.
                throw new AssertionError("a sync has failed for want of memory", e);
            } finally {
                Allocations.heal();
            }
        }
    }
}
