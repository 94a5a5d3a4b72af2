package dht.command;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.FastTempDir;
import dht.storage.StorageOptions;
import dht.storage.TextDao;
import dht.storage.file.LocalDirectory;
import dht.storage.lsm.LsmDao;
import dht.testkit.junit.CapturedErr;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the output of the {@code inspect} command about a data directory. */
@ResourceLock(Resources.SYSTEM_OUT)
@ResourceLock(Resources.SYSTEM_ERR)
class InspectCommandTest {
    @TempDir(factory = FastTempDir.class)
    private Path data;

    @RegisterExtension private final CapturedErr err = new CapturedErr();
    private final PrintStream formerOut = System.out;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @BeforeEach
    void redirect() {
        System.setOut(new PrintStream(out, true));
    }

    @AfterEach
    void restore() {
        System.setOut(formerOut);
    }

    private int inspect(String... arguments) {
        out.reset();
        err.reset();
        return StageCommand.run(new InspectCommand(), arguments);
    }

    private String[] inspectLines(String... arguments) {
        assertThat(inspect(arguments)).as(err.toString()).isZero();
        return out.toString().lines().toArray(String[]::new);
    }

    private LsmDao open() throws IOException {
        return LsmDao.open(
                LocalDirectory.open(data),
                StorageOptions.builder().compactionFanIn(10).memTableBytes(1 << 16).build());
    }

    /** Two tables that overlap, of three entries each. */
    private void fill() throws IOException {
        try (LsmDao dao = open()) {
            fill(new TextDao(dao));
        }
    }

    private static void fill(TextDao dao) {
        dao.put("a", "1".repeat(1000), 1);
        dao.put("c", "2".repeat(1000), 2);
        dao.put("m", "3".repeat(1000), 3);
        dao.flush();
        dao.delete("c", 12);
        dao.put("d", "4".repeat(100), 13);
        dao.put("\u0001\u0002", "5", 14);
        dao.flush();
    }

    private Path newestTable() throws IOException {
        return tables().getLast();
    }

    private Path oldestTable() throws IOException {
        return tables().getFirst();
    }

    private List<Path> tables() throws IOException {
        try (Stream<Path> files = Files.list(data)) {
            return files.filter(file -> file.toString().endsWith(".sst")).sorted().toList();
        }
    }

    @Test
    void inspect_knownDirectory_tellsItsNumbers() throws IOException {
        fill();
        long newerBytes = Files.size(newestTable());

        String[] lines = inspectLines(data.toString());

        assertThat(lines)
                .contains("directory           " + data.toRealPath())
                .contains("greatest timestamp  14")
                .contains("0 logs not flushed")
                .contains("2 tables, from the newest to the oldest")
                .contains("levels of overlap   2: one key can be in at most 2 tables")
                .contains("all blocks were read, and none is damaged");
        assertThat(lines)
                .anySatisfy(
                        line ->
                                assertThat(line)
                                        .matches(
                                                "  %s +%d B +3 +1 +1 +1 +\\d\\.\\d\\d %%  0x0102 \\.\\. d"
                                                        .formatted(
                                                                newestTable().getFileName(),
                                                                newerBytes)));
        assertThat(lines)
                .anySatisfy(
                        line ->
                                assertThat(line)
                                        .matches(".*\\.sst .* KiB +3 +0 +1 +1 .* a \\.\\. m"));
        // Keys and values: 1001 three times; then 1, 101 and 3. Of that "c" is not live.
        assertThat(lines)
                .anySatisfy(line -> assertThat(line).endsWith("for 4 live entries of 2.1 KiB"))
                .anySatisfy(
                        line ->
                                assertThat(line)
                                        .startsWith("write amplification 1.")
                                        .contains("0 B compacted for 3.0 KiB of keys and values"));
        double tableBytes = newerBytes + Files.size(oldestTable());
        double liveBytes = 1001 + 1001 + 101 + 3;
        assertThat(lines)
                .anySatisfy(
                        line ->
                                assertThat(line)
                                        .startsWith(
                                                String.format(
                                                        Locale.ROOT,
                                                        "space amplification %.2f: ",
                                                        tableBytes / liveBytes)));
    }

    @Test
    void inspect_nothingWritten_tellsOfNoTables() throws IOException {
        open().close();

        assertThat(inspectLines(data.toString()))
                .contains("0 tables, from the newest to the oldest")
                .contains("space amplification 0.00: tables take 0 B for 0 live entries of 0 B")
                .noneMatch(line -> line.startsWith("levels of overlap"))
                .noneMatch(line -> line.strip().startsWith("file"));
    }

    /** A table for each pair of keys. The first one is so large that no two are merged. */
    private void fillRanges(String... firstAndLastKeys) throws IOException {
        try (LsmDao dao = open()) {
            for (int i = 0; i < firstAndLastKeys.length; i += 2) {
                byte[] value = new byte[i == 0 ? 4000 : 0];
                dao.upsert(key(firstAndLastKeys[i]), MemorySegment.ofArray(value), i + 1);
                dao.upsert(key(firstAndLastKeys[i + 1]), MemorySegment.NULL, i + 2);
                dao.flush();
            }
        }
    }

    private static byte[] key(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Test
    void inspect_rangesThatShareAKey_overlap() throws IOException {
        fillRanges("a", "c", "c", "e", "f", "g");

        assertThat(inspectLines(data.toString()))
                .anyMatch(line -> line.matches(".* 1 +\\d\\.\\d\\d %  a \\.\\. c"))
                .anyMatch(line -> line.matches(".* 1 +\\d\\.\\d\\d %  c \\.\\. e"))
                .anyMatch(line -> line.matches(".* 0 +\\d\\.\\d\\d %  f \\.\\. g"))
                .contains("levels of overlap   2: one key can be in at most 2 tables");
    }

    @Test
    void inspect_keys_areTextIfVisibleAndShortened() throws IOException {
        fillRanges("!a~", "b c", "c\u007f", "d\u00e9", "k".repeat(20), "l".repeat(21));

        assertThat(inspectLines(data.toString()))
                .anyMatch(line -> line.endsWith("%  !a~ .. 0x622063"))
                .anyMatch(line -> line.endsWith("%  0x637f .. 0x64e9"))
                .anyMatch(
                        line ->
                                line.endsWith(
                                        "%  " + "k".repeat(20) + " .. " + "l".repeat(20) + "..."));
    }

    @ParameterizedTest
    @CsvSource({"1022, 1023 B", "1023, 1.0 KiB", "10000, 9.8 KiB"})
    void inspect_sizes_haveAUnitThatFits(int valueBytes, String size) throws IOException {
        try (LsmDao dao = open()) {
            dao.upsert(key("k"), MemorySegment.ofArray(new byte[valueBytes]), 1);
        }

        assertThat(inspectLines(data.toString()))
                .anyMatch(line -> line.endsWith("for 1 live entry of " + size));
    }

    @Test
    void inspect_atItsEnd_leavesNoFileMapped() throws IOException {
        fill();
        long before = mappingCount();

        inspectLines(data.toString());

        assertThat(mappingCount()).isEqualTo(before);
    }

    private static long mappingCount() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("mapped"))
                .mapToLong(BufferPoolMXBean::getCount)
                .sum();
    }

    @Test
    void inspect_quick_leavesOutWhatTakesReading() throws IOException {
        fill();

        assertThat(inspectLines("--quick", data.toString()))
                .contains("2 tables, from the newest to the oldest")
                .anyMatch(line -> line.startsWith("space amplification not known"))
                .doesNotContain("all blocks were read, and none is damaged");
    }

    @Test
    void inspect_serverRunning_tellsWhatIsThere() throws IOException {
        try (LsmDao engine = open()) {
            TextDao dao = new TextDao(engine);
            fill(dao);
            dao.put("x", "6", 20);
            dao.put("y", "7", 21);

            assertThat(inspectLines(data.toString()))
                    .contains("2 tables, from the newest to the oldest")
                    .anyMatch(line -> line.matches("  \\d+\\.log  2 records  4\\.0 KiB"));
            assertThat(dao.get("x")).isEqualTo("6@20");
            dao.put("z", "8", 22);
        }
        assertThat(inspectLines(data.toString())).contains("greatest timestamp  22");
    }

    @Test
    void inspect_oneOfEach_isNoPlural() throws IOException {
        try (LsmDao engine = open()) {
            TextDao dao = new TextDao(engine);
            dao.put("a", "1", 1);
            dao.flush();
            dao.put("a", "2", 2);

            assertThat(inspectLines(data.toString()))
                    .contains("1 table, from the newest to the oldest")
                    .contains("levels of overlap   1: one key can be in at most 1 table")
                    .anyMatch(line -> line.matches("  \\d+\\.log  1 record  4\\.0 KiB"))
                    .anyMatch(line -> line.endsWith("for 1 live entry of 2 B"));
        }
    }

    @Test
    void inspect_filesOfOthers_areNoLogs() throws IOException {
        fill();
        Files.writeString(data.resolve("server.log"), "not one of ours");
        Files.writeString(data.resolve("123.log"), "nor this");

        assertThat(inspectLines(data.toString())).contains("0 logs not flushed");
    }

    @Test
    void inspect_blockDamaged_namesFileAndOffset() throws IOException {
        fill();
        Path table = newestTable();
        byte[] content = Files.readAllBytes(table);
        content[20] ^= 1;
        Files.write(table, content);

        assertThat(inspect(data.toString())).isEqualTo(1);
        assertThat(err.toString().lines().toList())
                .isEqualTo(
                        List.of(
                                "inspect: corrupt data: file=%s offset=0: table block fails its checksum"
                                        .formatted(table.getFileName())));
        assertThat(inspect("--quick", data.toString())).isZero(); // It reads no blocks.
    }

    @Test
    void inspect_manifestDamaged_namesIt() throws IOException {
        fill();
        Files.write(data.resolve("MANIFEST"), new byte[10]);

        assertThat(inspect(data.toString())).isEqualTo(1);
        assertThat(err.toString()).contains("file=MANIFEST offset=0: not a manifest: bytes=10");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void inspect_noDataDirectory_saysSo() throws IOException {
        Path file = Files.createFile(data.resolve("file"));

        assertThat(inspect(data.toString())).isEqualTo(1);
        assertThat(err.toString()).contains("no manifest: path=" + data.toRealPath());
        assertThat(inspect(data.resolve("missing").toString())).isEqualTo(1);
        assertThat(err.toString()).contains("no such file: ").contains("not a data directory");
        assertThat(inspect(file.toString())).isEqualTo(1);
        assertThat(err.toString()).contains("not a data directory: path=" + file);
        assertThat(inspect()).isEqualTo(2);
    }
}
