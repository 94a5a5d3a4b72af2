package dht.storage.sstable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.CorruptionException;
import dht.storage.EntryCursor;
import dht.storage.TextDao;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SSTableTest {
    private final Tables tables = new Tables();

    @AfterEach
    void close() {
        tables.close();
    }

    /** Every second number from 10 on. */
    private static List<String> evenNumbers(int count) {
        List<String> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add("k%04d=%s@%d".formatted(10 + 2 * i, i % 5 == 0 ? "deleted" : "v" + i, i));
        }
        return entries;
    }

    private static byte[] bytes(String keyOrNull) {
        return keyOrNull == null ? null : TextDao.bytes(keyOrNull);
    }

    private static List<String> between(List<String> entries, String from, String to) {
        return entries.stream()
                .filter(entry -> from == null || key(entry).compareTo(from) >= 0)
                .filter(entry -> to == null || key(entry).compareTo(to) < 0)
                .toList();
    }

    private static String key(String entry) {
        return entry.substring(0, entry.indexOf('='));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 40, 100, 4096, 32768})
    void cursor_anyBounds_walksWhatLiesBetween(int blockBytes) throws IOException {
        List<String> entries = evenNumbers(30);
        tables.write(1, blockBytes, 10, entries);
        SSTable table = tables.open(1);
        List<String> bounds = new ArrayList<>();
        bounds.add(null);
        for (int i = 7; i < 73; i += 3) {
            bounds.add("k%04d".formatted(i));
        }
        for (String from : bounds) {
            for (String to : bounds) {
                assertThat(Tables.rest(table.cursor(bytes(from), bytes(to))))
                        .as("from %s to %s", from, to)
                        .isEqualTo(between(entries, from, to));
            }
        }
    }

    @Test
    void cursor_atItsEnd_staysThere() throws IOException {
        try (EntryCursor cursor = tables.make(1, List.of("a=1@1")).cursor(null, bytes("b"))) {
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.next()).isFalse();
            assertThat(cursor.next()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 40, 100, 4096})
    void find_anyKey_findsItsEntryOnly(int blockBytes) throws IOException {
        List<String> entries = evenNumbers(50);
        tables.write(1, blockBytes, 1, entries); // A filter that lets nearly all pass.
        SSTable table = tables.open(1);

        for (String entry : entries) {
            assertThat(Tables.get(table, key(entry))).isEqualTo(entry);
        }
        for (int i = 1; i < 150; i += 2) { // Before, between and behind, in all blocks.
            assertThat(Tables.get(table, "k%04d".formatted(i))).isEqualTo("absent");
        }
        assertThat(Tables.get(table, "k")).isEqualTo("absent");
        assertThat(Tables.get(table, "z")).isEqualTo("absent");
    }

    @Test
    void open_anyTable_knowsWhatItHolds() throws IOException {
        SSTable table = tables.make(3, List.of("a=12@9", "b=deleted@3", "cc=@70"));

        assertThat(table.number()).isEqualTo(3);
        assertThat(table.entryCount()).isEqualTo(3);
        assertThat(table.tombstoneCount()).isEqualTo(1);
        assertThat(table.dataBytes()).isEqualTo(6);
        assertThat(table.leastTimestampMicros()).isEqualTo(3);
        assertThat(table.greatestTimestampMicros()).isEqualTo(70);
        assertThat(table.smallestKey()).isEqualTo(bytes("a"));
        assertThat(table.greatestKey()).isEqualTo(bytes("cc"));
        assertThat(table.fileBytes()).isEqualTo(tables.content(3).length);
    }

    @Test
    void write_largestKeyAndLargeValues_areReadBack() throws IOException {
        List<String> entries = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            entries.add((i + "k".repeat(1023)) + "=" + "v".repeat(i * 200_000) + "@" + i);
        }
        SSTable table = tables.make(1, entries);

        assertThat(Tables.all(table)).isEqualTo(entries);
        assertThat(Tables.get(table, "3" + "k".repeat(1023))).isEqualTo(entries.get(3));
    }

    @Test
    void fileBytes_ofWriter_growWithWhatIsAdded() throws IOException {
        try (SSTableWriter writer = tables.writer(1, 10, 64, 10)) {
            assertThat(writer.fileBytes()).isZero();
            writer.add(Tables.view("a=" + "v".repeat(1000) + "@1"));
            assertThat(writer.fileBytes()).isBetween(1000L, 1100L);
            assertThat(writer.entryCount()).isEqualTo(1);
            writer.finish();
            assertThat(writer.fileBytes()).isEqualTo(tables.content(1).length);
        }
    }

    @Test
    void open_unfinishedFile_isCorruption() throws IOException {
        try (SSTableWriter writer = tables.writer(1, 10, 64, 10)) {
            writer.add(Tables.view("a=1@1"));
        }

        assertThatThrownBy(() -> tables.open(1))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("file=00000001.sst")
                .hasMessageContaining("file is too short for a table: bytes=0");
    }

    @Test
    void release_obsoleteTable_goesWithItsLastHolder() throws IOException {
        tables.write(1, 64, 10, List.of("a=1@1"));
        SSTable table = SSTable.open(tables.disk().directory(), 1, Runnable::run);
        table.retain();
        table.markObsolete();
        table.release();
        assertThat(Tables.all(table)).containsExactly("a=1@1");
        assertThat(tables.disk().names()).containsExactly("00000001.sst");

        table.release();
        assertThat(tables.disk().names()).isEmpty();
    }
}
