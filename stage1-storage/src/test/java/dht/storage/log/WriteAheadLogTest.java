package dht.storage.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.EntryView;
import dht.storage.FastTempDir;
import dht.storage.OtherProcess;
import dht.storage.TextDao;
import dht.storage.file.WritableMapping;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests how many records a log can contain, how it uses the disk, and what remains when the disk
 * fails.
 */
class WriteAheadLogTest {
    private static final UUID BOOT = new UUID(1, 2);
    private static final int START = (int) WriteAheadLog.START;
    private static final int RECORD_BYTES = 24; // A key and a value of one byte each.
    private static final byte LEFT_OVER = (byte) 0xee; // Of the log that the file served before.

    /** A mapping that writes down what it is asked for, and fails as the test wants. */
    private static final class StubMapping implements WritableMapping {
        private final MemorySegment memory;
        private final List<Long> reserved = new ArrayList<>();
        private final List<Long> forced = new ArrayList<>();
        private boolean isBroken;

        StubMapping(int bytes) {
            memory = Arena.ofAuto().allocate(bytes, Long.BYTES);
            memory.fill(LEFT_OVER);
        }

        private void workOrFail() throws IOException {
            if (isBroken) {
                throw new IOException("injected");
            }
        }

        @Override
        public MemorySegment memory() {
            return memory;
        }

        @Override
        public void reserve(long upToBytes) throws IOException {
            workOrFail();
            reserved.add(upToBytes);
        }

        @Override
        public void force(long lengthBytes) throws IOException {
            workOrFail();
            forced.add(lengthBytes);
        }

        @Override
        public void close() {}
    }

    private static WriteAheadLog log(StubMapping mapping, int reserveStepBytes) throws IOException {
        return new WriteAheadLog(mapping, 5, 4, BOOT, reserveStepBytes);
    }

    private static long append(WriteAheadLog log, String key) throws IOException {
        return log.append(TextDao.bytes(key), MemorySegment.ofArray(TextDao.bytes("v")), 1000);
    }

    @Test
    void append_untilItIsFull_usesTheLastByte() throws IOException {
        WriteAheadLog log = log(new StubMapping(START + 2 * RECORD_BYTES), 4096);
        assertThat(WriteAheadLog.recordBytes(1, 1)).isEqualTo(RECORD_BYTES);
        assertThat(append(log, "a")).isEqualTo(START);
        assertThat(append(log, "b")).isEqualTo(START + RECORD_BYTES);
        assertThat(append(log, "c")).isEqualTo(WriteAheadLog.NO_ROOM);
        assertThat(log.appendedUpTo()).isEqualTo(START + 2 * RECORD_BYTES);

        EntryView entry = new EntryView();
        log.records().read(START + RECORD_BYTES, entry);
        assertThat(TextDao.text(entry.copyKey())).isEqualTo("b");
    }

    /** A call for each step, not for each record; and a page is stored to only after its call. */
    @Test
    void append_pastWhatIsReserved_reservesTheNextStep() throws IOException {
        int step = START + 2 * RECORD_BYTES;
        StubMapping mapping = new StubMapping(2 * step + RECORD_BYTES);
        WriteAheadLog log = log(mapping, step);
        append(log, "a");
        append(log, "b");
        assertThat(mapping.reserved).containsExactly((long) step);
        assertThat(mapping.memory.get(ValueLayout.JAVA_BYTE, step)).isEqualTo(LEFT_OVER);
        append(log, "c");
        assertThat(mapping.reserved).containsExactly((long) step, 2L * step);
        long recordCount = 3;
        while (append(log, "d") != WriteAheadLog.NO_ROOM) {
            recordCount++;
        }
        assertThat(recordCount).isEqualTo((step + 3 * RECORD_BYTES) / RECORD_BYTES);
        assertThat(mapping.reserved)
                .as("not past the end of the file")
                .containsExactly((long) step, 2L * step, 2L * step + RECORD_BYTES);
    }

    @Test
    void append_untilTheMappingIsFull_reservesWholeUnitsOnly() throws IOException {
        int unit = (int) WriteAheadLog.RESERVE_UNIT_BYTES;
        long capacity = WriteAheadLog.capacityBytes(unit);
        assertThat(capacity).isEqualTo(2L * unit); // The header needs some of it.
        assertThat(WriteAheadLog.capacityBytes(unit - START)).isEqualTo(unit);
        StubMapping mapping = new StubMapping((int) capacity);
        WriteAheadLog log = log(mapping, unit);
        while (append(log, "a") != WriteAheadLog.NO_ROOM) {
            assertThat(mapping.reserved.getLast()).isGreaterThanOrEqualTo(log.appendedUpTo());
        }

        assertThat(mapping.reserved).containsExactly((long) unit, capacity);
    }

    @Test
    void append_diskFull_appendsNothingAndSucceedsLater() throws IOException {
        StubMapping mapping = new StubMapping(4 * START);
        WriteAheadLog log = log(mapping, START + 1);
        while (log.appendedUpTo() + RECORD_BYTES <= START + 1) {
            append(log, "a");
        }
        mapping.isBroken = true;
        long before = log.appendedUpTo();
        assertThatThrownBy(() -> append(log, "b")).isInstanceOf(IOException.class);
        assertThat(log.appendedUpTo()).isEqualTo(before);
        mapping.isBroken = false;
        assertThat(append(log, "b")).isEqualTo(before);
    }

    @Test
    void log_diskFullAtItsBeginning_isNone() {
        StubMapping mapping = new StubMapping(4 * START);
        mapping.isBroken = true;
        assertThatThrownBy(() -> log(mapping, START)).isInstanceOf(IOException.class);
    }

    @Test
    void log_begun_syncsItsHeaderOnlyWhenAsked() throws IOException {
        StubMapping mapping = new StubMapping(4 * START);
        WriteAheadLog log = log(mapping, START);
        assertThat(mapping.forced).isEmpty();
        log.syncHeader();
        assertThat(mapping.forced).containsExactly((long) START);
        assertThat(log.number()).isEqualTo(5);
        assertThat(log.appendedUpTo()).isEqualTo(START);
        assertThat(log.syncedUpTo()).isEqualTo(START);
        assertThat(log.records()).hasToString("00000005.log");
    }

    @Test
    void sync_ofSomeRecords_coversThoseAlone() throws IOException {
        StubMapping mapping = new StubMapping(4 * START);
        WriteAheadLog log = log(mapping, 4 * START);
        append(log, "a");
        long upTo = log.appendedUpTo();
        append(log, "b");
        log.sync(upTo);
        assertThat(mapping.forced).containsExactly(upTo);
        assertThat(log.syncedUpTo()).isEqualTo(upTo);
        assertThat(LogLayout.syncedUpTo(mapping.memory)).isEqualTo(upTo);
    }

    @Test
    void sync_thatFails_coversNothing() throws IOException {
        StubMapping mapping = new StubMapping(4 * START);
        WriteAheadLog log = log(mapping, 4 * START);
        append(log, "a");
        mapping.isBroken = true;
        assertThatThrownBy(() -> log.sync(log.appendedUpTo())).isInstanceOf(IOException.class);
        assertThat(log.syncedUpTo()).isEqualTo(START);
        assertThat(LogLayout.syncedUpTo(mapping.memory)).isZero();
    }

    /**
     * In each of the ways in which a JVM runs code: each of them throws the error of a fault at
     * another time.
     */
    @ParameterizedTest
    @CsvSource({"-Xint, 1", "-XX:TieredStopAtLevel=1, 300", "-XX:-TieredCompilation, 3000"})
    void append_pageIsMissing_isRefusedAndLeavesNoRecord(
            String mode, int rounds, @TempDir(factory = FastTempDir.class) Path path)
            throws Exception {
        String printed =
                OtherProcess.run(
                        List.of(mode, "-Xbatch"),
                        MissingPages.class,
                        path.toString(),
                        String.valueOf(rounds));

        assertThat(printed.lines())
                .containsExactly(
                        "in the record: refused, then no room; nothing is left",
                        "after the record: refused, then no room; nothing is left");
    }
}
