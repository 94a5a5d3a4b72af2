package dht.storage.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.EntryCursor;
import dht.storage.EntryView;
import dht.storage.TextDao;
import dht.storage.file.WritableMapping;
import dht.storage.log.LogFiles;
import dht.storage.log.WriteAheadLog;
import dht.storage.simulation.SimulatedDisk;
import dht.storage.simulation.Stores;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tests what readers of a memtable find between any two stores of a put. */
class MemTableStoresTest {
    private static final long NUMBER = 5;
    private static final int LOG_BYTES = 1 << 16;
    private static final int KEYS = 8;

    /** A cursor that was opened during a put, and what such a cursor showed at that moment. */
    private record Opened(EntryCursor cursor, List<String> shown) {}

    private static final class Put implements Runnable {
        private MemTable table;

        @Override
        public void run() {
            try (SimulatedDisk disk = new SimulatedDisk();
                    Arena arena = Arena.ofConfined();
                    WritableMapping mapping =
                            disk.directory().createMapped(LogFiles.name(NUMBER), LOG_BYTES)) {
                WriteAheadLog log =
                        new WriteAheadLog(mapping, NUMBER, NUMBER - 1, new UUID(1, 2), LOG_BYTES);
                log.begin(WriteAheadLog.START);
                table =
                        MemTable.create(
                                log, arena.allocate(1 << 14, 8), false, LOG_BYTES, new Kept());
                for (int i = 0; i < 3 * KEYS; i++) { // Every third version is an older one.
                    put("key-%d".formatted(i * 5 % KEYS), i % 3 == 2 ? 1 : 10 + i);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void put(String key, long stamp) throws IOException {
            MemorySegment value = MemorySegment.ofArray(TextDao.bytes("v" + stamp));
            List<Opened> cursors = new ArrayList<>();
            List<String> found = new ArrayList<>();
            cursors.add(open());
            found.add(find(key));
            Stores.each(
                    () -> table.put(TextDao.bytes(key), value, stamp),
                    () -> {
                        cursors.add(open());
                        found.add(find(key));
                    });
            cursors.add(open());
            found.add(find(key));

            assertThat(cursors).hasSizeGreaterThan(10);
            for (Opened each : cursors) {
                assertThat(all(each.cursor())).isEqualTo(each.shown());
            }
            assertChangesOnce(cursors.stream().map(Opened::shown).toList());
            assertChangesOnce(found);
        }

        private Opened open() {
            return new Opened(table.cursor(null, null), all(table.cursor(null, null)));
        }

        private String find(String key) {
            EntryView entry = new EntryView();
            return table.find(TextDao.bytes(key), entry) ? text(entry) : "absent";
        }

        /** From what was there before to what is there afterwards, and to nothing in between. */
        private static <T> void assertChangesOnce(List<T> seen) {
            T before = seen.getFirst();
            T after = seen.getLast();
            int unchanged = 0;
            while (unchanged < seen.size() && seen.get(unchanged).equals(before)) {
                unchanged++;
            }
            assertThat(seen.subList(unchanged, seen.size())).allMatch(after::equals);
        }

        private static List<String> all(EntryCursor cursor) {
            List<String> entries = new ArrayList<>();
            try (cursor) {
                while (cursor.next()) {
                    entries.add(text(cursor.entry()));
                }
            }
            return entries;
        }

        private static String text(EntryView entry) {
            return TextDao.text(entry.copyKey()) + "=" + TextDao.text(entry.copyValue());
        }
    }

    /** The log is the test's. */
    private static final class Kept implements Backing {
        @Override
        public void recycle() {
            throw new AssertionError("nothing was flushed");
        }

        @Override
        public void detach() {
            throw new AssertionError("nobody releases it");
        }
    }

    /** What a cursor shows does not depend on when it is read. */
    @Test
    void put_afterAnyStore_isVisibleToNewCursorsOrToNone() {
        Stores.replay(Put.class);
    }
}
