package dht.storage.lsm;

import static dht.storage.TextDao.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.EntryCursor;
import dht.storage.Eventually;
import dht.storage.FastTempDir;
import dht.storage.ReadOutcome;
import dht.storage.SlowReader;
import dht.storage.StorageOptions;
import dht.storage.TextDao;
import dht.storage.file.LocalDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests what readers keep in memory and on disk, and when they are forced to release it. */
@Timeout(60)
class PinTest {
    private static final String LARGE = "v".repeat(100_000);
    private static final long SLOW = 1000;
    private static final long FAST = Long.MAX_VALUE;

    @TempDir(factory = FastTempDir.class)
    Path path;

    private LsmDao engine;
    private TextDao dao;

    @AfterEach
    void close() {
        engine.close();
    }

    private void open(long pinnedBytesMax, Duration pinnedTimeMax) throws IOException {
        engine =
                LsmDao.open(
                        LocalDirectory.open(path),
                        StorageOptions.builder()
                                .memTableBytes(1 << 20)
                                .pinnedBytesMax(pinnedBytesMax)
                                .pinnedTimeMax(pinnedTimeMax)
                                .build());
        dao = new TextDao(engine);
    }

    /**
     * Two tables with nothing in common: {@code a} in the first, {@code b} and {@code c} in the
     * other.
     */
    private void twoTables() {
        dao.put("a", LARGE, 1);
        dao.flush();
        dao.put("b", LARGE, 1);
        dao.put("c", LARGE, 1);
        dao.flush();
    }

    private List<String> tables() {
        try (var files = Files.list(path)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".sst"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void awaitTables(int count) {
        Eventually.holds(() -> tables().size() == count, this::tables);
    }

    @Test
    void get_largeValue_holdsItsTableOnly() throws IOException {
        open(1 << 30, Duration.ofHours(1));
        twoTables();
        String tableOfA = tables().getFirst();
        try (ReadOutcome outcome = engine.get(bytes("a"))) {
            dao.compact();

            awaitTables(2);
            assertThat(tables()).contains(tableOfA);
            byte[] copy = new byte[LARGE.length()];
            ((ReadOutcome.Found) outcome).copyValue(0, copy, 0, copy.length);
            assertThat(TextDao.text(copy)).isEqualTo(LARGE);
        }
        awaitTables(1);
    }

    /** So a server need not count what it sends from a value of this size. */
    @Test
    void get_valueThatMayNotBeACopy_holdsItsTable() throws IOException {
        open(1 << 30, Duration.ofHours(1));
        List<Integer> sizes =
                List.of(
                        64 << 10,
                        80_000,
                        ReadOutcome.UNCOPIED_BYTES_MIN - 1000,
                        ReadOutcome.UNCOPIED_BYTES_MIN - 1,
                        ReadOutcome.UNCOPIED_BYTES_MIN,
                        LARGE.length());
        for (int size : sizes) {
            dao.put("" + size, "v".repeat(size), 1);
            dao.flush();
        }
        for (int size : sizes) {
            try (ReadOutcome outcome = engine.get(bytes("" + size))) {
                boolean isHolding =
                        ((ReadOutcome.Found) outcome).hold() != ReadOutcome.NOTHING_HELD;
                assertThat(isHolding || size < ReadOutcome.UNCOPIED_BYTES_MIN)
                        .as("" + size)
                        .isTrue();
            }
        }
        try (ReadOutcome outcome = engine.get(bytes("80000"))) { // Otherwise this tests nothing.
            assertThat(((ReadOutcome.Found) outcome).hold()).isSameAs(ReadOutcome.NOTHING_HELD);
        }
    }

    @Test
    void get_smallValue_holdsNothing() throws IOException {
        open(1 << 30, Duration.ofHours(1));
        dao.put("a", "1", 1);
        dao.flush();
        dao.put("b", "2", 1);
        dao.flush();
        try (ReadOutcome outcome = engine.get(bytes("a"))) {
            dao.compact();

            awaitTables(1);
            assertThat(((ReadOutcome.Found) outcome).value().byteSize()).isEqualTo(1);
        }
    }

    @Test
    void range_passedTable_isLetGo() throws IOException {
        open(1 << 30, Duration.ofHours(1));
        twoTables();
        try (EntryCursor cursor = dao.cursor(null, null)) {
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.next()).isTrue();
            dao.compact();

            awaitTables(2);
            assertThat(TextDao.text(cursor.entry().copyKey())).isEqualTo("b");
            assertThat(TextDao.rest(cursor)).containsExactly("c=" + LARGE + "@1");
        }
        awaitTables(1);
    }

    @Test
    void range_tableOutsideOfIt_isNotHeld() throws IOException {
        open(1 << 30, Duration.ofHours(1));
        twoTables();
        try (EntryCursor cursor = dao.cursor("b", "c")) {
            dao.compact();

            awaitTables(2);
            assertThat(TextDao.rest(cursor)).containsExactly("b=" + LARGE + "@1");
        }
    }

    @Test
    void slowRange_tooMuchReplaced_isToldToLetGo() throws IOException {
        open(50_000, Duration.ofHours(1));
        dao.put("a", LARGE, 1);
        dao.flush();
        Reader reader = new Reader(dao.cursor(null, null), SLOW);
        assertThat(engine.stats().pinnedBytes()).isZero(); // The table is in force.

        dao.put("a", "new", 2);
        dao.flush();
        dao.compact();

        awaitTables(1);
        assertThat(reader.evicted).isTrue();
        assertThat(engine.stats().evictedReaderCount()).isEqualTo(1);
        assertThat(engine.stats().pinnedBytes()).isZero();
    }

    @Test
    void slowestOfRanges_tooMuchReplaced_isToldFirst() throws IOException {
        open(150_000, Duration.ofHours(1)); // For one table.
        List<Reader> readers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            dao.put("a", LARGE, i);
            dao.flush();
            dao.compact();
            readers.add(new Reader(dao.cursor(null, null), SLOW + (i == 1 ? 1 : 0)));
        }
        dao.put("a", "new", 9);
        dao.flush();
        dao.compact();

        awaitTables(2);
        assertThat(readers).extracting(reader -> reader.evicted).containsExactly(true, false, true);
        readers.forEach(Reader::close);
    }

    @Test
    void fastRange_tooMuchReplaced_goesOn() throws IOException {
        open(0, Duration.ofHours(1));
        dao.put("a", LARGE, 1);
        dao.put("b", "2", 1);
        dao.flush();
        Reader slow = new Reader(dao.cursor(null, null), SLOW);
        Reader fast = new Reader(dao.cursor(null, null), FAST);
        dao.put("a", "new", 2);
        dao.flush();
        dao.compact();

        Eventually.holds(() -> slow.evicted, () -> "slow one goes on");
        assertThat(fast.evicted).isFalse();
        assertThat(engine.stats().pinnedBytes()).isGreaterThan(LARGE.length());
        assertThat(TextDao.rest(fast.cursor)).containsExactly("b=2@1");
        fast.close();
    }

    @Test
    void fastRange_replacedForTooLong_isToldToLetGo() throws IOException {
        open(1 << 30, Duration.ofMillis(1));
        dao.put("a", LARGE, 1);
        dao.flush();
        Reader reader = new Reader(dao.cursor(null, null), FAST);
        dao.put("a", "new", 2);
        dao.flush();
        dao.compact();

        Eventually.holds(() -> reader.evicted, () -> "it goes on");
    }

    @Test
    void detach_restOfValue_isACopyAndCounts() throws IOException {
        open(1 << 30, Duration.ofHours(1));
        dao.put("a", LARGE, 1);
        dao.flush();
        ReadOutcome.Found found = (ReadOutcome.Found) engine.get(bytes("a"));
        dao.put("a", "new", 2);
        dao.flush();
        dao.compact();
        awaitTables(2);

        ReadOutcome.Found rest = found.detach(40_000);
        rest.hold().watch(new Reader(dao.cursor(null, null), SLOW));

        awaitTables(1);
        assertThat(engine.stats().pinnedBytes()).isEqualTo(60_000);
        byte[] copy = new byte[60_000];
        rest.copyValue(0, copy, 0, copy.length);
        assertThat(TextDao.text(copy)).isEqualTo(LARGE.substring(40_000));
        rest.close();
        assertThat(engine.stats().pinnedBytes()).isZero();
    }

    @Test
    void slowValues_tooMuchReplaced_asManyAreCopiedAsMayBe() throws IOException {
        open(250_000, Duration.ofHours(1)); // Copies take half of it: one value.
        for (String key : List.of("a", "b", "c")) {
            dao.put(key, LARGE, 1);
        }
        dao.flush();
        List<ValueReader> readers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            readers.add(new ValueReader(engine.get(bytes(String.valueOf((char) ('a' + i)))), i));
        }
        dao.put("a", "new", 2);
        dao.flush();
        dao.compact();

        awaitTables(1);
        assertThat(readers).extracting(reader -> reader.cutOff).containsExactly(true, true, false);
        assertThat(readers)
                .extracting(reader -> reader.copyCount)
                .containsExactly(0, 0, 1); // The fastest.
        assertThat(engine.stats().pinnedBytes()).isEqualTo(LARGE.length());
        readers.getLast().close();
    }

    /** Copies its value when it is told to, and lets go when it is cut off. */
    private static final class ValueReader implements SlowReader {
        private final long bytesPerSecond;
        private ReadOutcome.Found found;
        private volatile int copyCount;
        private volatile boolean cutOff;

        ValueReader(ReadOutcome outcome, long bytesPerSecond) {
            this.bytesPerSecond = bytesPerSecond;
            this.found = (ReadOutcome.Found) outcome;
            found.hold().watch(this);
        }

        @Override
        public long bytesPerSecond() {
            return bytesPerSecond;
        }

        @Override
        public synchronized void copy() {
            copyCount++;
            found = found.detach(0);
            found.hold().watch(this);
        }

        @Override
        public synchronized void cutOff() {
            cutOff = true;
            close();
        }

        void close() {
            found.close();
        }
    }

    /** Lets go when it is told to. */
    private static final class Reader implements SlowReader {
        private final EntryCursor cursor;
        private final long bytesPerSecond;
        private volatile boolean evicted;

        Reader(EntryCursor cursor, long bytesPerSecond) {
            this.cursor = cursor;
            this.bytesPerSecond = bytesPerSecond;
            cursor.watch(this);
            assertThat(cursor.next()).isTrue();
        }

        @Override
        public long bytesPerSecond() {
            return bytesPerSecond;
        }

        @Override
        public void copy() {
            // It can't.
        }

        @Override
        public void cutOff() {
            evicted = true;
            close();
        }

        void close() {
            cursor.close();
        }
    }
}
