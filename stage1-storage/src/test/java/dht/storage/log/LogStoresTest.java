package dht.storage.log;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.EntryView;
import dht.storage.TextDao;
import dht.storage.file.WritableMapping;
import dht.storage.simulation.SimulatedDisk;
import dht.storage.simulation.Stores;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Tests the contents of a log between any two stores of an append: the process may be killed there,
 * and other threads may read there.
 */
class LogStoresTest {
    private static final UUID BOOT = new UUID(1, 2);
    private static final long NUMBER = 5;
    private static final int RESERVE_STEP_BYTES = 4096;
    private static final String VALUE = "v".repeat(1000);

    /** A log that is appended to until it is full. Before it, its file served another log. */
    private static final class Append implements Runnable {
        private final List<String> appended = new ArrayList<>();
        private WritableMapping mapping;
        private WriteAheadLog log;

        @Override
        public void run() {
            try (SimulatedDisk disk = new SimulatedDisk()) {
                mapping = disk.directory().createMapped("5.log", 4 * RESERVE_STEP_BYTES);
                fill(NUMBER - 1);
                fill(NUMBER);
                assertThat(appended).hasSizeGreaterThan(20);
                mapping.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void fill(long number) throws IOException {
            log = new WriteAheadLog(mapping, number, number - 1, BOOT, RESERVE_STEP_BYTES);
            log.begin(WriteAheadLog.START);
            appended.clear();
            String next = null;
            do {
                if (next != null) {
                    appended.add(next);
                    assertThat(replay(number).hasTornTail()).isFalse();
                }
                next = "key-%d=%s".formatted(appended.size(), value(appended.size()));
            } while (append(number, next));
        }

        private static String value(int index) {
            return index % 3 == 0 ? "deleted" : VALUE.substring(index * 37 % VALUE.length());
        }

        private boolean append(long number, String record) throws IOException {
            String[] parts = record.split("=", 2);
            boolean isTombstone = parts[1].equals("deleted");
            var value = isTombstone ? null : MemorySegment.ofArray(TextDao.bytes(parts[1]));
            long[] offset = new long[1];
            int stores =
                    Stores.each(
                            () -> offset[0] = log.append(TextDao.bytes(parts[0]), value, 1000),
                            () -> {
                                assertReplayIsWhole(number, record);
                                assertReadersFindWholeRecords();
                            });
            boolean hasFit = offset[0] != WriteAheadLog.NO_ROOM;
            assertThat(stores).isGreaterThanOrEqualTo(hasFit ? 7 : 0);
            return hasFit;
        }

        /** If the process ended here: what was acknowledged is there; this record is, or isn't. */
        private void assertReplayIsWhole(long number, String record) {
            List<String> found = new ArrayList<>();
            replay(number).forEach((_, entry) -> found.add(text(entry)));
            List<String> withThis = new ArrayList<>(appended);
            withThis.add(record);
            assertThat(found).isIn(appended, withThis);
        }

        private LogReplay replay(long number) {
            byte[] left = mapping.memory().toArray(ValueLayout.JAVA_BYTE);
            LogReplay replay = LogReplay.open(MemorySegment.ofArray(left), number, "5.log", BOOT);
            replay.forEach((_, _) -> {});
            return replay;
        }

        private void assertReadersFindWholeRecords() {
            EntryView entry = new EntryView();
            LogRecords records = log.records();
            long offset = WriteAheadLog.START;
            while (offset < log.appendedUpTo()) {
                records.read(offset, entry);
                offset = LogRecords.next(offset, entry);
            }
        }

        private static String text(EntryView entry) {
            return TextDao.text(entry.copyKey())
                    + "="
                    + (entry.isTombstone() ? "deleted" : TextDao.text(entry.copyValue()));
        }
    }

    @Test
    void append_endedAfterAnyStore_leavesTheRecordWholeOrNotAtAll() {
        Stores.replay(Append.class);
    }
}
