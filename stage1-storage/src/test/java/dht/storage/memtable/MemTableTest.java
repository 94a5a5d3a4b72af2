package dht.storage.memtable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.EntryCursor;
import dht.storage.EntryView;
import dht.storage.TextDao;
import dht.storage.file.WritableMapping;
import dht.storage.log.LogFiles;
import dht.storage.log.LogReplay;
import dht.storage.log.WriteAheadLog;
import dht.storage.simulation.SimulatedDisk;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests what a memtable accepts, what it shows to which threads, and what memory it releases. */
class MemTableTest {
    private static final UUID BOOT = new UUID(1, 2);
    private static final long NUMBER = 5;
    private static final int LOG_BYTES = 1 << 16;
    private static final int START = (int) WriteAheadLog.START;
    private static final int RECORD_BYTES = 24; // A key and a value of one byte each.

    private final SimulatedDisk disk = new SimulatedDisk();
    private final Arena arena = Arena.ofShared();
    private final List<String> freed = new ArrayList<>();
    private WritableMapping mapping;
    private WriteAheadLog log;

    /** Writes down what becomes of the log. */
    private final Backing backing =
            new Backing() {
                @Override
                public void recycle() {
                    freed.add("recycled");
                }

                @Override
                public void detach() {
                    freed.add("detached");
                }
            };

    @BeforeEach
    void open() throws IOException {
        mapping = disk.directory().createMapped(LogFiles.name(NUMBER), LOG_BYTES);
        log = new WriteAheadLog(mapping, NUMBER, NUMBER - 1, BOOT, LOG_BYTES);
        log.begin(START);
    }

    @AfterEach
    void close() {
        mapping.close();
        arena.close();
        disk.close();
    }

    private MemTable table(boolean showsOnlySynced, long fullAtBytes) {
        return MemTable.create(
                log, arena.allocate(1 << 14, 8), showsOnlySynced, fullAtBytes, backing);
    }

    private MemTable table() {
        return table(false, LOG_BYTES);
    }

    private static long put(MemTable table, String key, String value, long stamp)
            throws IOException {
        var bytes = value.equals("deleted") ? null : MemorySegment.ofArray(TextDao.bytes(value));
        return table.put(TextDao.bytes(key), bytes, stamp);
    }

    private static String get(MemTable table, String key) {
        EntryView entry = new EntryView();
        return table.find(TextDao.bytes(key), entry) ? text(entry) : "absent";
    }

    private static String text(EntryView entry) {
        String value = entry.isTombstone() ? "deleted" : TextDao.text(entry.copyValue());
        return TextDao.text(entry.copyKey()) + "=" + value + "@" + entry.timestampMicros();
    }

    private static List<String> all(EntryCursor cursor) {
        List<String> entries = new ArrayList<>();
        try (cursor) {
            while (cursor.next()) {
                entries.add(text(cursor.entry()));
            }
            assertThat(cursor.next()).as("after the end").isFalse();
        }
        return entries;
    }

    @Test
    void find_afterPuts_isTheNewestVersionWhateverCameLast() throws IOException {
        MemTable table = table();
        put(table, "a", "1", 10);
        put(table, "a", "2", 20);
        put(table, "a", "3", 15);
        put(table, "b", "deleted", 5);
        put(table, "b", "late", 5);

        assertThat(get(table, "a")).isEqualTo("a=2@20");
        assertThat(get(table, "b")).as("a tombstone wins a tie").isEqualTo("b=deleted@5");
        assertThat(get(table, "c")).isEqualTo("absent");
        assertThat(table.contains(TextDao.bytes("b"))).isTrue();
        assertThat(table.contains(TextDao.bytes("c"))).isFalse();
    }

    @Test
    void cursor_overARange_endsBeforeItsEnd() throws IOException {
        MemTable table = table();
        for (String key : List.of("c", "a", "b", "d")) {
            put(table, key, "v", 1);
        }
        assertThat(all(table.cursor(null, null)))
                .containsExactly("a=v@1", "b=v@1", "c=v@1", "d=v@1");
        assertThat(all(table.cursor(TextDao.bytes("b"), TextDao.bytes("d"))))
                .containsExactly("b=v@1", "c=v@1");
    }

    @Test
    void cursor_madeBeforeAPut_doesNotShowIt() throws IOException {
        MemTable table = table();
        put(table, "a", "old", 1);
        EntryCursor before = table.cursor(null, null);
        put(table, "a", "new", 2);
        put(table, "b", "new", 2);
        assertThat(all(before)).containsExactly("a=old@1");
        assertThat(all(table.cursor(null, null))).containsExactly("a=new@2", "b=new@2");
    }

    /** With durable writes a reader must not see what a crash could take back. */
    @Test
    void find_versionNotSyncedYet_isTheOneBefore() throws IOException {
        MemTable table = table(true, LOG_BYTES);
        long synced = put(table, "a", "old", 1);
        assertThat(get(table, "a")).isEqualTo("absent");
        log.sync(synced);
        put(table, "a", "new", 2);
        put(table, "b", "new", 2);

        assertThat(get(table, "a")).isEqualTo("a=old@1");
        assertThat(get(table, "b")).isEqualTo("absent");
        assertThat(table.contains(TextDao.bytes("b"))).as("visible or not").isTrue();
        assertThat(all(table.cursor(null, null))).containsExactly("a=old@1");
        assertThat(all(table.cursorOverAll())).containsExactly("a=new@2", "b=new@2");

        log.sync(log.appendedUpTo());
        assertThat(get(table, "a")).isEqualTo("a=new@2");
    }

    @Test
    void put_untilItIsFull_findsNoRoomPastItsLimit() throws IOException {
        MemTable table = table(false, START + 2 * RECORD_BYTES);
        assertThat(put(table, "a", "1", 1)).isEqualTo(START + RECORD_BYTES);
        assertThat(table.logBytes()).isEqualTo(START + RECORD_BYTES);
        assertThat(put(table, "b", "2", 2)).isEqualTo(START + 2 * RECORD_BYTES);
        assertThat(table.fullness()).isEqualTo(1.0);
        assertThat(put(table, "c", "3", 3)).isEqualTo(WriteAheadLog.NO_ROOM);
        assertThat(get(table, "c")).isEqualTo("absent");
        assertThat(table.entryCount()).isEqualTo(2);
    }

    /** Else it could never be stored. */
    @Test
    void put_firstEntryLargerThanTheLimit_isTaken() throws IOException {
        MemTable table = table(false, START + RECORD_BYTES);
        assertThat(put(table, "a", "v".repeat(1000), 1)).isPositive();
        assertThat(put(table, "b", "1", 1)).isEqualTo(WriteAheadLog.NO_ROOM);
    }

    @Test
    void put_logFull_findsNoRoom() throws IOException {
        MemTable table = table(false, Long.MAX_VALUE);
        assertThat(put(table, "a", "v".repeat(LOG_BYTES), 1)).isEqualTo(WriteAheadLog.NO_ROOM);
        assertThat(get(table, "a")).isEqualTo("absent");
    }

    @Test
    void put_indexFull_findsNoRoom() throws IOException {
        MemTable table =
                MemTable.create(log, arena.allocate(200, 8), false, Long.MAX_VALUE, backing);
        int count = 0;
        while (put(table, "%03d".formatted(count), "v", 1) != WriteAheadLog.NO_ROOM) {
            count++;
        }
        assertThat(count).isBetween(1, 10);
        assertThat(all(table.cursor(null, null))).hasSize(count);
    }

    @Test
    void counts_afterPuts_coverEachVersion() throws IOException {
        MemTable table = table();
        put(table, "a", "12", 30);
        put(table, "a", "deleted", 10);
        put(table, "bc", "123", 20);

        assertThat(table.entryCount()).isEqualTo(3);
        assertThat(table.dataBytes()).isEqualTo(1 + 2 + 1 + 2 + 3);
        assertThat(table.leastTimestampMicros()).isEqualTo(10);
        assertThat(table.greatestTimestampMicros()).isEqualTo(30);
        assertThat(table.logNumber()).isEqualTo(NUMBER);
        assertThat(table.log()).isSameAs(log);
        assertThat(table).hasToString("memtable of 00000005.log");
    }

    @Test
    void release_byItsLastHolder_keepsTheLogUnlessItIsObsolete() {
        table().release();
        assertThat(freed).containsExactly("detached");
        MemTable flushed = table();
        flushed.markLogObsolete();
        flushed.release();
        assertThat(freed).containsExactly("detached", "recycled");
    }

    private MemTable recovered() {
        LogReplay replay = LogReplay.open(mapping.memory(), NUMBER, LogFiles.name(NUMBER), BOOT);
        return MemTable.recover(replay, NUMBER, backing);
    }

    @Test
    void recover_logOfAMemtable_showsTheSame() throws IOException {
        MemTable table = table();
        put(table, "b", "1", 30);
        put(table, "b", "late", 10);
        put(table, "a", "deleted", 20);

        MemTable recovered = recovered();
        assertThat(all(recovered.cursor(null, null)))
                .isEqualTo(all(table.cursor(null, null)))
                .containsExactly("a=deleted@20", "b=1@30");
        assertThat(recovered.entryCount()).isEqualTo(3);
        assertThat(recovered.dataBytes()).isEqualTo(table.dataBytes());
        assertThat(recovered.greatestTimestampMicros()).isEqualTo(30);
        assertThat(recovered.logNumber()).isEqualTo(NUMBER);
        assertThat(recovered.log()).as("takes no more writes").isNull();
        assertThat(recovered.logBytes()).isZero();
        recovered.release();
        assertThat(freed).containsExactly("detached");
    }

    /** Together with the log goes the memory of the index. */
    @Test
    void release_recoveredAndFlushed_freesIndexAndLog() throws IOException {
        put(table(), "a", "1", 1);
        for (boolean isFlushed : new boolean[] {true, false}) {
            MemTable recovered = recovered();
            if (isFlushed) {
                recovered.markLogObsolete();
            }
            recovered.release();
            assertThatThrownBy(() -> get(recovered, "a")).isInstanceOf(IllegalStateException.class);
        }
        assertThat(freed).containsExactly("recycled", "detached");
    }
}
