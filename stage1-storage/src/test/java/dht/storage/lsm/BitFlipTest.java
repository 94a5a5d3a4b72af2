package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dht.storage.CorruptionException;
import dht.storage.Durability;
import dht.storage.StorageOptions;
import dht.storage.TestOptions;
import dht.storage.TextDao;
import dht.storage.log.LogFiles;
import dht.storage.manifest.ManifestFile;
import dht.storage.simulation.DiskImage;
import dht.storage.simulation.Loss;
import dht.storage.simulation.Operation.Kind;
import dht.storage.simulation.SimulatedDisk;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Damages each file of a killed engine, bit by bit, and then reads from the engine. */
@Timeout(120)
class BitFlipTest {
    private static final StorageOptions OPTIONS =
            TestOptions.small()
                    .durability(Durability.FSYNC)
                    .memTableBytes(4096 + 100)
                    .memTableCountMax(6)
                    .blockBytes(32)
                    .compactionFanIn(12)
                    .build();

    private static final List<String> KEYS = List.of("a", "b", "c", "d", "e", "f", "g", "h", "i");

    private static final int TABLE_FOOTER_BYTES = 96;
    private static final int LOG_HEADER_CHECKED_END = 48;
    private static final int LOG_APPENDED_UP_TO = 64;
    private static final int LOG_PREVIOUS_END = 72;
    private static final int LOG_SYNCED_UP_TO = 128;
    private static final int LOG_HEADER_BYTES = 4096;
    private static final int LOG_BYTES = LOG_HEADER_BYTES + 160;

    private static DiskImage killed;
    private static List<String> logs;
    private static Map<String, String> right;

    /** Three tables; logs of what no table holds; and versions that hide others in all of them. */
    @BeforeAll
    static void kill() throws IOException {
        SimulatedEngine engine = new SimulatedEngine(OPTIONS);
        TextDao dao = engine.dao();
        dao.put("a", "oldest", 1);
        dao.put("b", "value", 2);
        dao.put("c", "value", 3);
        dao.flush();
        dao.put("a", "older", 4);
        dao.delete("b", 5);
        dao.flush();
        dao.put("d", "value", 6);
        dao.put("f", "value", 8);
        dao.flush();
        engine.faults.fail(operation -> operation.is(Kind.CREATE, ".sst")); // Logs pile up.
        dao.put("a", "newer", 9);
        dao.delete("c", 10);
        dao.put("g", "long".repeat(15), 11);
        dao.put("f", "late", 5);
        dao.put("h", "", 12);
        right = DamagedEngine.valuesOf(KEYS, dao);
        killed = engine.kill();
        logs = logsNeeded();
    }

    /** Not those whose tables are there already: they may be gone, and nobody reads them. */
    private static List<String> logsNeeded() throws IOException {
        try (SimulatedDisk disk = killed.start()) {
            String oldest =
                    LogFiles.name(ManifestFile.load(disk.directory()).orElseThrow().oldestLog());
            return files(LogFiles.SUFFIX).stream()
                    .filter(name -> name.compareTo(oldest) >= 0)
                    .toList();
        }
    }

    private static List<String> files(String suffix) {
        return killed.files().stream().filter(name -> name.endsWith(suffix)).toList();
    }

    /** Answers whether the damage was noticed. */
    private static boolean check(DiskImage damaged, String name, String damage) {
        try {
            return new DamagedEngine(OPTIONS, right, name).check(damaged);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(name + ": " + damage, e);
        }
    }

    private static boolean flip(DiskImage image, String name, int offset, int bit) {
        return check(
                image.withFlippedBit(name, offset, bit),
                name,
                "bit %d of byte %d flipped".formatted(bit, offset));
    }

    private static void flipEachBit(DiskImage image, String name, int from, int to) {
        for (int offset = from; offset < to; offset++) {
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                boolean unused = flip(image, name, offset, bit);
            }
        }
    }

    @Test
    void image_beforeAnyDamage_hasEveryKindOfFileAndOpens() {
        assertThat(files(ManifestFile.NAME)).hasSize(1);
        assertThat(files(".sst")).hasSize(3);
        assertThat(logs).hasSizeGreaterThanOrEqualTo(3);
        assertThat(right)
                .containsEntry("a", "newer@9")
                .containsEntry("b", "deleted@5")
                .containsEntry("f", "value@8");
        assertThat(check(killed, ManifestFile.NAME, "nothing")).isFalse();
    }

    @Test
    void manifest_anyBitFlipped_isNoticed() {
        int length = killed.content(ManifestFile.NAME).length;
        for (int offset = 0; offset < length; offset++) {
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                assertThat(flip(killed, ManifestFile.NAME, offset, bit)).isTrue();
            }
        }
    }

    @Test
    void table_anyByteFlipped_isNoticed() {
        String table = files(".sst").getFirst();
        int length = killed.content(table).length;
        for (int offset = 0; offset < length - TABLE_FOOTER_BYTES; offset++) {
            assertThat(flip(killed, table, offset, offset % Byte.SIZE))
                    .as("byte " + offset)
                    .isTrue();
        }
    }

    @Test
    void tableFooter_anyBitFlipped_isNoticed() {
        String table = files(".sst").getLast();
        int length = killed.content(table).length;
        for (int offset = length - TABLE_FOOTER_BYTES; offset < length; offset++) {
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                assertThat(flip(killed, table, offset, bit)).as("byte " + offset).isTrue();
            }
        }
    }

    @Test
    void logHeader_anyBitFlipped_isNoticed() {
        String log = logs.getFirst();
        for (int offset = 0; offset < LOG_HEADER_CHECKED_END; offset++) {
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                assertThat(flip(killed, log, offset, bit)).as("byte " + offset).isTrue();
            }
        }
    }

    /** A mark that says too much is noticed; one that says too little makes no difference. */
    @Test
    void logMarks_anyBitFlipped_isNoticedOrHarmless() {
        DiskImage powerless = killed.afterPowerFailure(Loss.NOTHING, new SplittableRandom(0));
        String log = logs.get(1); // It goes on where another ends.
        for (int mark : new int[] {LOG_APPENDED_UP_TO, LOG_PREVIOUS_END, LOG_SYNCED_UP_TO}) {
            flipEachBit(killed, log, mark, mark + Long.BYTES);
            flipEachBit(powerless, log, mark, mark + Long.BYTES);
        }
    }

    /** The first log is followed by others, which know where it ends; the last is not. */
    @Test
    void logRecord_anyByteFlipped_isNoticedOrHarmless() {
        List<String> used =
                logs.stream().filter(log -> killed.content(log)[LOG_HEADER_BYTES] != 0).toList();
        for (String log : List.of(used.getFirst(), used.getLast())) {
            for (int offset = LOG_HEADER_BYTES; offset < LOG_BYTES; offset++) {
                boolean unused = flip(killed, log, offset, offset % Byte.SIZE);
            }
        }
    }

    @Test
    void file_cutShort_isNoticedOrHarmless() {
        for (String name : killed.files()) {
            int length = killed.content(name).length;
            for (int bytes = 0; bytes < length; bytes += name.endsWith(".log") ? 1021 : 7) {
                boolean unused =
                        check(killed.truncated(name, bytes), name, "cut to " + bytes + " bytes");
            }
        }
    }

    @Test
    void file_garbageBehindIt_isNoticedOrHarmless() {
        SplittableRandom random = new SplittableRandom(1);
        for (String name : killed.files()) {
            byte[] content = killed.content(name);
            for (int bytes = 1; bytes < 5000; bytes *= 3) {
                byte[] longer = Arrays.copyOf(content, content.length + bytes);
                scramble(longer, content.length, longer.length, random);
                boolean unused =
                        check(killed.withFile(name, longer), name, bytes + " bytes behind it");
            }
        }
    }

    @Test
    void file_garbageInIt_isNoticedOrHarmless() {
        SplittableRandom random = new SplittableRandom(2);
        for (String name : killed.files()) {
            byte[] whole = killed.content(name);
            if (whole.length == 0) {
                continue; // A file that was just being made when the engine was killed.
            }
            for (int i = 0; i < 40; i++) {
                byte[] content = whole.clone();
                int from = random.nextInt(Math.min(content.length, LOG_BYTES));
                int to = Math.min(content.length, from + random.nextInt(1, 40));
                scramble(content, from, to, random);
                boolean unused =
                        check(
                                killed.withContent(name, content),
                                name,
                                "garbage from %d to %d".formatted(from, to));
            }
        }
    }

    private static void scramble(byte[] content, int from, int to, SplittableRandom random) {
        for (int offset = from; offset < to; offset++) {
            content[offset] = (byte) random.nextInt();
        }
    }

    @Test
    void table_damagedUnderARunningEngine_isNoticedByThoseWhoReadThere() {
        try (SimulatedEngine engine = new SimulatedEngine(OPTIONS)) {
            engine.dao().put("a", "long".repeat(10), 1); // A block of its own.
            engine.dao().put("b", "value", 2);
            engine.dao().flush(); // One table: nothing to merge it with.
            String table =
                    engine.disk.names().stream()
                            .filter(name -> name.endsWith(".sst"))
                            .findAny()
                            .orElseThrow();
            engine.disk.flipBit(table, 20, 3);

            CorruptionException e =
                    catchThrowableOfType(CorruptionException.class, engine.dao()::all);
            assertThat(e.file()).isEqualTo(table);
            assertThat(e.offsetBytes()).isZero();
            assertThat(engine.dao().get("b")).isEqualTo("value@2");
            assertThat(engine.dao().range("b", null)).containsExactly("b=value@2");
            engine.dao().put("i", "more", 100);
            engine.dao().flush();
            assertThat(engine.dao().get("i")).isEqualTo("more@100");
        }
    }

    @Test
    void log_damagedUnderARunningEngine_isNoticedByThoseWhoReadThere() {
        try (SimulatedEngine engine = new SimulatedEngine(OPTIONS)) {
            engine.dao().put("a", "value", 1);
            engine.dao().put("b", "value", 2);
            engine.disk.flipBit("00000001.log", LOG_HEADER_BYTES + 20, 3);

            CorruptionException e =
                    catchThrowableOfType(CorruptionException.class, () -> engine.dao().get("a"));
            assertThat(e.file()).isEqualTo("00000001.log");
            assertThat(e.offsetBytes()).isEqualTo(LOG_HEADER_BYTES);
            assertThat(engine.dao().get("b")).isEqualTo("value@2");
        }
    }
}
