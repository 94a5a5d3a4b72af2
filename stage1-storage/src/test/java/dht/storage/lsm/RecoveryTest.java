package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.CorruptionException;
import dht.storage.Durability;
import dht.storage.Eventually;
import dht.storage.StorageException;
import dht.storage.StorageOptions;
import dht.storage.StorageUnavailableException;
import dht.storage.TestOptions;
import dht.storage.TextDao;
import dht.storage.manifest.Manifest;
import dht.storage.manifest.ManifestFile;
import dht.storage.manifest.WriteTotals;
import dht.storage.simulation.DiskImage;
import dht.storage.simulation.Faults;
import dht.storage.simulation.HookedDirectory;
import dht.storage.simulation.Loss;
import dht.storage.simulation.Operation;
import dht.storage.simulation.Operation.Kind;
import dht.storage.simulation.SimulatedDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** Tests how an engine starts with different contents of its directory. */
@Timeout(60)
class RecoveryTest {
    private static final StorageOptions OPTIONS = TestOptions.small().build();
    private static final StorageOptions HOSTILE = TestOptions.hostile().build();
    private static final SplittableRandom UNUSED = new SplittableRandom(0);

    /** What is found in an image, by a process that is killed afterwards. */
    private static List<String> found(DiskImage image, StorageOptions options) {
        try (SimulatedEngine engine = SimulatedEngine.start(image, options)) {
            return engine.dao().all();
        }
    }

    private static DiskImage killedAfter(StorageOptions options, String... keys) {
        SimulatedEngine engine = new SimulatedEngine(options);
        for (int i = 0; i < keys.length; i++) {
            engine.dao().put(keys[i], "v", i + 1);
        }
        return engine.kill();
    }

    /** Logs 1, in use, and 2, to be used next. */
    private static DiskImage killedWithSpareLog(String... keys) {
        SimulatedEngine engine = new SimulatedEngine(OPTIONS);
        for (String key : keys) {
            engine.dao().put(key, "v", 1);
        }
        Eventually.holds(() -> engine.disk.names().contains("00000002.log"), engine.disk::names);
        return engine.kill();
    }

    private static void corrupt(DiskImage image, String file) {
        assertThatThrownBy(() -> found(image, OPTIONS))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("file=" + file);
    }

    @Test
    void log_cutShort_isCorruption() {
        DiskImage image = killedAfter(OPTIONS, "a", "b");

        for (int bytes : new int[] {0, 1, 100, 4095, 4096, 4100, 4130}) {
            corrupt(image.truncated("00000001.log", bytes), "00000001.log");
        }
    }

    @Test
    void log_headerLost_isCorruption() {
        DiskImage image = killedAfter(OPTIONS, "a", "b");
        byte[] content = image.content("00000001.log");
        for (int i = 0; i < 4096; i++) {
            content[i] = 0;
        }

        corrupt(image.withContent("00000001.log", content), "00000001.log");
    }

    @Test
    void log_missing_isCorruption() {
        SimulatedEngine engine = new SimulatedEngine(OPTIONS);
        engine.faults.fail(operation -> operation.is(Kind.CREATE, ".sst")); // Logs pile up.
        for (int i = 0; i < 120; i++) {
            engine.dao().put("key" + i, "long".repeat(20), i);
        }
        DiskImage image = engine.kill();
        List<String> logs = image.files().stream().filter(name -> name.endsWith(".log")).toList();
        assertThat(logs).hasSizeGreaterThan(3);

        for (String log : logs.subList(0, logs.size() - 1)) { // The last is not in use yet.
            corrupt(image.without(log), log);
        }
    }

    @Test
    void log_newestMissing_isCorruption() {
        StorageOptions options = TestOptions.small().writeStallMax(Duration.ofMillis(1)).build();
        SimulatedEngine engine = new SimulatedEngine(options);
        engine.faults.fail(operation -> operation.is(Kind.CREATE, ".sst"));
        boolean isFull = false;
        for (int i = 0; !isFull; i++) {
            // Until all memtables are in use: then there is no spare log that comes after. A write
            // may also be refused earlier, if the spare is late.
            isFull =
                    isRefused(engine, "key" + i)
                            && engine.stats().memTableCount() == options.memTableCountMax();
        }
        DiskImage image = engine.kill();
        List<String> logs = image.files().stream().filter(name -> name.endsWith(".log")).toList();
        assertThat(logs).hasSize(options.memTableCountMax());

        corrupt(image.without(logs.getLast()), logs.getLast());
    }

    private static boolean isRefused(SimulatedEngine engine, String key) {
        try {
            engine.dao().put(key, "long".repeat(200), 1);
            return false;
        } catch (StorageUnavailableException e) {
            return true;
        }
    }

    /** It was put to use, and nothing was written to it yet. */
    @Test
    void log_emptyAndNamedByAnother_isNeverMissed() {
        DiskImage image = killedWithEmptyLog();
        assertThat(image.files()).contains("00000001.log", "00000002.log");
        corrupt(image.without("00000002.log").without("00000003.log"), "00000002.log");

        for (int operations = 0; operations < 30; operations++) {
            DiskImage next = crashedWhileOpening(image, operations);
            assertThat(found(next, OPTIONS)).containsExactly("a=v@1");
        }
    }

    private static DiskImage crashedWhileOpening(DiskImage image, int operations) {
        SimulatedDisk disk = image.start();
        disk.crashAfter(operations);
        try {
            return new SimulatedEngine(disk, OPTIONS).kill();
        } catch (UncheckedIOException | StorageException crashed) {
            return disk.crash();
        }
    }

    /** A log with a record, an empty one that it names, and one with a record after that. */
    private static DiskImage killedWithEmptyLogBetween() throws IOException {
        return killedWhileItCannotFlush(killedWithEmptyLog(), "b");
    }

    private static DiskImage killedWithEmptyLog() {
        SimulatedEngine engine = new SimulatedEngine(OPTIONS);
        engine.faults.fail(operation -> operation.is(Kind.CREATE, ".sst"));
        engine.dao().put("a", "v", 1);
        assertThatThrownBy(() -> engine.dao().flush()).isInstanceOf(StorageException.class);
        return engine.kill();
    }

    private static DiskImage killedWhileItCannotFlush(DiskImage image, String... keys)
            throws IOException {
        Faults faults = new Faults();
        faults.fail(operation -> operation.is(Kind.CREATE, ".sst"));
        try (SimulatedDisk disk = image.start()) {
            TextDao dao =
                    new TextDao(
                            LsmDao.open(new HookedDirectory(disk.directory(), faults), OPTIONS));
            for (String key : keys) {
                dao.put(key, "v", 2);
            }
            DiskImage killed = disk.crash();
            try {
                dao.dao().close();
            } catch (StorageException crashed) {
                assertThat(disk.hasCrashed()).isTrue();
            }
            return killed;
        }
    }

    /** A log with a record names it as the log before, even when the machine has restarted. */
    @Test
    void log_emptyBetweenOthers_isNeverMissed() throws IOException {
        DiskImage killed = killedWithEmptyLogBetween();
        DiskImage restarted = killed.afterPowerFailure(Loss.NOTHING, UNUSED);

        for (DiskImage image : List.of(killed, restarted)) {
            DiskImage again = killedWhileItCannotFlush(image);
            assertThat(found(again, OPTIONS)).containsExactly("a=v@1", "b=v@2");
            for (int operations = 0; operations < 30; operations++) {
                DiskImage next = crashedWhileOpening(image, operations);
                assertThat(found(next, OPTIONS)).containsExactly("a=v@1", "b=v@2");
            }
        }
    }

    /** The log in between is empty, but it knows where the first one ended. */
    @Test
    void powerFailure_logAfterAnEmptyOneSurvives_isDroppedWithTheEarlier() throws IOException {
        DiskImage killed = killedWithEmptyLogBetween();
        DiskImage lost = killed.afterPowerFailure(Loss.ALL, UNUSED);
        DiskImage left = killed.afterPowerFailure(Loss.NOTHING, UNUSED);
        for (String log : List.of("00000001.log", "00000002.log")) {
            left = left.withContent(log, lost.content(log)); // Without what was never synced.
        }

        assertThat(found(left, OPTIONS)).isEmpty();
    }

    /** With each write synced, the empty log may be the only one that is not. */
    @Test
    void powerFailure_emptyLogForgetsWhereTheEarlierEnds_losesNoRecord() throws IOException {
        DiskImage forgotten = killedWithEmptyLog().afterPowerFailure(Loss.ALL, UNUSED);
        DiskImage left =
                killedWithEmptyLogBetween()
                        .afterPowerFailure(Loss.NOTHING, UNUSED)
                        .withContent("00000002.log", forgotten.content("00000002.log"));

        assertThat(found(left, OPTIONS)).containsExactly("a=v@1", "b=v@2");
    }

    /** As if nothing had ever been written: the manifest knows better. */
    @Test
    void logs_allMissing_areCorruption() {
        DiskImage image = killedWithSpareLog("a");

        corrupt(image.without("00000001.log").without("00000002.log"), "00000001.log");
    }

    @Test
    void logs_allMissingAfterFlush_areCorruption() {
        SimulatedEngine engine = new SimulatedEngine(OPTIONS);
        engine.dao().put("a", "v", 1);
        engine.dao().flush();
        engine.dao().put("b", "v", 2);
        DiskImage image = engine.kill();
        List<String> logs = image.files().stream().filter(name -> name.endsWith(".log")).toList();

        for (String log : logs) {
            image = image.without(log);
        }
        corrupt(image, "00000002.log"); // The spare one, when the first was flushed.
    }

    @Test
    void logs_noneAfterClose_areNotMissed() {
        SimulatedEngine engine = new SimulatedEngine(OPTIONS);
        engine.dao().put("a", "v", 1);
        engine.reopen();
        engine.dao().dao().close();

        assertThat(engine.disk.names()).noneMatch(name -> name.endsWith(".log"));
        assertThat(found(engine.kill(), OPTIONS)).containsExactly("a=v@1");
    }

    /** What is not kept anyway is not missed. */
    @Test
    void logs_noneByOption_areNotMissed() {
        StorageOptions noLog = TestOptions.small().durability(Durability.NONE).build();
        SimulatedEngine engine = new SimulatedEngine(noLog);
        engine.dao().put("a", "v", 1);
        engine.dao().flush();
        engine.dao().put("b", "v", 2);
        engine.dao().compact();
        DiskImage image = engine.kill();

        assertThat(found(image, noLog)).containsExactly("a=v@1");
        assertThat(found(image, OPTIONS)).containsExactly("a=v@1");
    }

    @Test
    void logs_swapped_areCorruption() {
        DiskImage image = killedWithSpareLog("a");

        corrupt(image.swapped("00000001.log", "00000002.log"), "00000001.log");
    }

    @Test
    void manifest_missing_isCorruption() {
        corrupt(killedAfter(OPTIONS, "a").without(ManifestFile.NAME), ManifestFile.NAME);
    }

    @Test
    void files_ofOthers_areLeftAlone() throws IOException {
        byte[] content = {1, 2, 3};
        DiskImage image = new SimulatedDisk().image();
        for (String name :
                new String[] {"server.log", "1.log", "000000001.sst", "-1.log", "x.new"}) {
            image = image.withFile(name, content);
        }
        List<String> names = List.copyOf(image.files());

        try (SimulatedEngine engine = SimulatedEngine.start(image, OPTIONS)) {
            engine.dao().put("a", "1", 1);
            engine.reopen();
            assertThat(engine.dao().all()).containsExactly("a=1@1");
            assertThat(engine.disk.names()).containsAll(names);
        }
    }

    @Test
    void files_leftUnfinished_areDeleted() {
        DiskImage image =
                killedAfter(OPTIONS, "a")
                        .withFile("00000077.sst", new byte[100])
                        .withFile("00000078.log.new", new byte[0])
                        .withFile("MANIFEST.new", new byte[10]);

        try (SimulatedEngine engine = SimulatedEngine.start(image, OPTIONS)) {
            assertThat(engine.dao().all()).containsExactly("a=v@1");
            // While the next manifest is made, it has the last of these names.
            Eventually.holds(
                    () ->
                            Collections.disjoint(
                                    engine.disk.names(),
                                    List.of("00000077.sst", "00000078.log.new", "MANIFEST.new")),
                    engine.disk::names);
            engine.dao().flush();
            assertThat(engine.disk.names()).anyMatch(name -> name.compareTo("00000079") > 0);
        }
    }

    @Test
    void corruption_found_changesNothing() throws IOException {
        DiskImage image = killedAfter(OPTIONS, "a", "b").withFlippedBit("00000001.log", 4110, 0);

        try (SimulatedDisk disk = image.start()) {
            assertThatThrownBy(() -> LsmDao.open(disk.directory(), OPTIONS))
                    .isInstanceOf(CorruptionException.class);
            assertThat(disk.trace()).extracting(Operation::kind).containsOnly(Kind.LIST, Kind.MAP);
        }
    }

    /** A log names the one before it: deleting unused ones must not make it look lost. */
    @Test
    void unusedLogs_crashWhileTheyAreDeleted_opens() throws IOException {
        DiskImage image = killedWithSpareLog();

        for (int operation = 0; operation < 12; operation++) {
            for (int seed = 0; seed < 10; seed++) {
                DiskImage left = crashWhileOpening(image, operation);
                SplittableRandom random = new SplittableRandom(seed);
                assertThat(found(left.afterPowerFailure(Loss.SECTORS, random), OPTIONS)).isEmpty();
            }
        }
    }

    private static DiskImage crashWhileOpening(DiskImage image, int operation) throws IOException {
        try (SimulatedDisk disk = image.start()) {
            disk.crashAfter(operation);
            try {
                LsmDao dao = LsmDao.open(disk.directory(), OPTIONS);
                disk.crash();
                dao.close();
            } catch (IOException | StorageException e) {
                assertThat(disk.hasCrashed()).isTrue();
            }
            return disk.crash();
        }
    }

    /** Of two logs the second survives the power failure, and the first doesn't. */
    @Test
    void powerFailure_laterLogSurvives_isDroppedWithTheEarlier() {
        SimulatedEngine engine = new SimulatedEngine(HOSTILE);
        engine.faults.fail(operation -> operation.is(Kind.CREATE, ".sst"));
        engine.dao().put("a", "first", 1);
        engine.dao().put("b", "second", 2);
        DiskImage killed = engine.kill();
        assertThat(found(killed, HOSTILE)).containsExactly("a=first@1", "b=second@2");
        DiskImage lost = killed.afterPowerFailure(Loss.ALL, UNUSED);
        DiskImage hole =
                killed.afterPowerFailure(Loss.NOTHING, UNUSED)
                        .withContent("00000001.log", lost.content("00000001.log"));

        SimulatedEngine next = SimulatedEngine.start(hole, HOSTILE);
        assertThat(next.dao().all()).isEmpty();
        next.dao().put("c", "third", 3);
        assertThat(found(next.kill(), HOSTILE)).containsExactly("c=third@3");
    }

    /**
     * The last sync of the first log is stored in its header, but the header may not have been
     * synced again. The second log was synced, so all of the first one was.
     */
    @Test
    void powerFailure_endOfAnEarlierSyncedLogIsDamaged_isCorruption() {
        StorageOptions fsync =
                TestOptions.small().memTableCountMax(4).durability(Durability.FSYNC).build();
        SimulatedEngine engine = new SimulatedEngine(fsync);
        engine.faults.fail(operation -> operation.is(Kind.CREATE, ".sst"));
        int count = 0;
        int second = Integer.MAX_VALUE; // The first entry in the second log.
        while (count < second + 3L) {
            engine.dao().put("key" + count, "v".repeat(300), count);
            second = engine.stats().memTableCount() == 2 ? Math.min(second, count) : second;
            count++;
        }
        assertThat(engine.stats().memTableCount()).isEqualTo(2);
        DiskImage left = engine.kill().afterPowerFailure(Loss.ALL, UNUSED);
        assertThat(found(left, fsync)).hasSize(count);
        byte[] log = left.content("00000001.log");
        int last = log.length - 1;
        while (log[last] == 0) {
            last--;
        }
        DiskImage damaged = left.withFlippedBit("00000001.log", last, 0);

        assertThatThrownBy(() -> found(damaged, fsync))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("file=00000001.log");
    }

    /** What a reader has seen, no power failure may take back, where each write is synced. */
    @Test
    void unsyncedRecord_shownAfterKill_isDurable() {
        StorageOptions fsync = TestOptions.small().durability(Durability.FSYNC).build();
        SimulatedEngine engine = new SimulatedEngine(fsync);
        engine.faults.fail(operation -> operation.kind() == Kind.FORCE);
        assertThatThrownBy(() -> engine.dao().put("a", "1", 1))
                .isInstanceOf(StorageException.class);
        assertThat(engine.dao().get("a")).isEqualTo("absent");
        DiskImage killed = engine.kill();
        assertThat(found(killed.afterPowerFailure(Loss.ALL, UNUSED), fsync)).isEmpty();

        SimulatedEngine next = SimulatedEngine.start(killed, fsync);
        assertThat(next.dao().all()).containsExactly("a=1@1");
        DiskImage powerless = next.kill().afterPowerFailure(Loss.ALL, UNUSED);

        assertThat(found(powerless, fsync)).containsExactly("a=1@1");
    }

    @Test
    void numbers_beyondEightDigits_areInOrder() throws IOException {
        try (SimulatedDisk disk = new SimulatedDisk()) {
            Manifest late = new Manifest(99_999_997, 99_999_997, 0, WriteTotals.ZERO, List.of());
            ManifestFile.store(disk.directory(), late);
            DiskImage image = disk.image();
            for (int round = 0; round < 4; round++) {
                SimulatedEngine engine = SimulatedEngine.start(image, HOSTILE);
                TextDao dao = engine.dao();
                for (int i = 0; i < 3; i++) {
                    dao.put("key" + i, "round" + round, 10 * round + i);
                }
                image = engine.kill();
            }
            assertThat(image.files()).anyMatch(name -> name.length() == "100000000.log".length());
            assertThat(found(image, HOSTILE))
                    .containsExactly("key0=round3@30", "key1=round3@31", "key2=round3@32");
        }
    }

    @Test
    @ResourceLock(Resources.LOCALE)
    void locale_withOtherDigits_isNoDifference() {
        Locale former = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
            DiskImage image = killedAfter(HOSTILE, "a", "b", "c");
            Locale.setDefault(Locale.ROOT);

            assertThat(found(image, HOSTILE)).hasSize(3);
            // The kill may come while a manifest is being written.
            assertThat(image.files())
                    .allMatch(name -> name.matches("MANIFEST([.]new)?|[0-9]+[.].*"));
        } finally {
            Locale.setDefault(former);
        }
    }
}
