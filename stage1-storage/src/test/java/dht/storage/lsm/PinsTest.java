package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.SlowReader;
import dht.storage.StorageOptions;
import dht.storage.sstable.SSTable;
import dht.storage.sstable.Tables;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The limits on readers that are still reading when they are cut off: they release later. */
class PinsTest {
    private static final long SLOW = 1000;
    private static final Duration TIME_MAX = Duration.ofHours(1);

    private final Tables tables = new Tables();
    private long nowNanos;

    @AfterEach
    void close() {
        tables.close();
    }

    /** No table is in force, so each table with a pin is kept only for its reader. */
    private Pins pins(long bytesMax) {
        return new Pins(
                StorageOptions.builder().pinnedBytesMax(bytesMax).pinnedTimeMax(TIME_MAX).build(),
                () -> new Snapshot(List.of(), List.of()),
                Runnable::run,
                () -> nowNanos);
    }

    private SSTable table(long number, int valueBytes) throws IOException {
        return tables.make(number, List.of("key=" + "v".repeat(valueBytes) + "@1"));
    }

    private static Pin pin(Pins pins, SSTable table, SlowReader reader) {
        Pin pin = pins.begin();
        pin.add(table);
        pin.watch(reader);
        return pin;
    }

    @Test
    void readingReaderOfOldTable_isCutOffOnce_andNoOtherForItsBytes() throws IOException {
        SSTable large = table(1, 10_000);
        SSTable small = table(2, 10);
        Pins pins = pins(large.fileBytes());
        Reader reading = new Reader(SLOW + 1);
        Pin late = pin(pins, large, reading);
        nowNanos = TIME_MAX.toNanos() + 1;
        Reader slower = new Reader(SLOW);
        Pin other = pin(pins, small, slower); // Together, their tables are over the limit.

        pins.enforce();
        pins.enforce();

        assertThat(reading.cutOffCount).isEqualTo(1);
        assertThat(slower.cutOffCount).isZero();
        assertThat(pins.evictedCount()).isEqualTo(1);
        assertThat(pins.pinnedBytes()).isEqualTo(large.fileBytes() + small.fileBytes());
        late.release();
        other.release();
        assertThat(pins.pinnedBytes()).isZero();
    }

    @Test
    void readingReaderOfTooManyBytes_isCutOffOnce() throws IOException {
        Pins pins = pins(0);
        Reader reading = new Reader(SLOW);
        Pin late = pin(pins, table(1, 10), reading);

        pins.enforce();
        pins.enforce();

        assertThat(reading.cutOffCount).isEqualTo(1);
        assertThat(pins.evictedCount()).isEqualTo(1);
        late.release();
    }

    @Test
    void readerThatCouldNotBeCutOff_isCutOffNextTime() throws IOException {
        Pins pins = pins(0);
        Reader reading = new Reader(SLOW);
        reading.failure = new OutOfMemoryError("injected");
        Pin late = pin(pins, table(1, 10), reading);
        assertThatThrownBy(pins::enforce).isSameAs(reading.failure);
        assertThat(pins.evictedCount()).isZero();

        reading.failure = null;
        pins.enforce();

        assertThat(reading.cutOffCount).isEqualTo(1);
        assertThat(pins.evictedCount()).isEqualTo(1);
        late.release();
    }

    /** Releases nothing by itself. */
    private static final class Reader implements SlowReader {
        private final long bytesPerSecond;
        private OutOfMemoryError failure;
        private int cutOffCount;

        Reader(long bytesPerSecond) {
            this.bytesPerSecond = bytesPerSecond;
        }

        @Override
        public long bytesPerSecond() {
            return bytesPerSecond;
        }

        @Override
        public void copy() {
            throw new AssertionError("not the reader of a value");
        }

        @Override
        public void cutOff() {
            if (failure != null) {
                throw failure;
            }
            cutOffCount++;
        }
    }
}
