package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.Eventually;
import dht.storage.StorageOptions;
import dht.storage.TestOptions;
import dht.storage.sstable.SSTable;
import dht.storage.sstable.Tables;
import dht.testkit.junit.CapturedErr;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** A scrub reads each block once per interval, at its pace, and finds what nobody has read. */
@Timeout(60)
@ResourceLock(Resources.SYSTEM_ERR)
class ScrubberTest {
    private static final Duration INTERVAL = Duration.ofHours(1);
    private static final int BLOCKS = 10;
    private static final int RATE = 200;

    @RegisterExtension private final CapturedErr log = new CapturedErr();
    private final Tables tables = new Tables();
    private final List<SSTable> live = new ArrayList<>();
    private long nowNanos = 1_000;
    private final Scrubber scrubber =
            new Scrubber(
                    TestOptions.small().scrubInterval(INTERVAL).scrubBytesPerSecond(RATE).build(),
                    () -> new Snapshot(List.of(), live),
                    1,
                    () -> nowNanos);

    @AfterEach
    void close() {
        tables.close();
    }

    /** Adds a table with a few blocks of about half of the rate. Returns their bytes. */
    private long addTable(long number) throws IOException {
        List<String> entries = new ArrayList<>();
        for (int i = 0; i < BLOCKS; i++) {
            entries.add("key%d=%s@%d".formatted(i, "v".repeat(75), number));
        }
        SSTable table = tables.make(number, entries);
        assertThat(table.blockCount()).isEqualTo(BLOCKS);
        live.addFirst(table);
        return table.damage().check(0) * BLOCKS;
    }

    private long readIn(int seconds) {
        long before = scrubber.readBytes();
        for (int i = 0; i < seconds; i++) {
            nowNanos += Duration.ofSeconds(1).toNanos();
            scrubber.round();
        }
        return scrubber.readBytes() - before;
    }

    @Test
    void rounds_oneASecond_keepThePace() throws IOException {
        long tableBytes = addTable(1) + addTable(2);
        int seconds = 0;
        while (scrubber.readBytes() < tableBytes) {
            assertThat(readIn(1)).isPositive();
            seconds++;
            assertThat(scrubber.readBytes()).isLessThanOrEqualTo(seconds * RATE + RATE / 2);
        }

        assertThat(seconds).isGreaterThanOrEqualTo((int) (tableBytes / RATE));
    }

    @Test
    void round_afterALongPause_readsNoMoreThanInASecond() throws IOException {
        addTable(1);
        nowNanos += Duration.ofMinutes(10).toNanos();
        scrubber.round();

        assertThat(scrubber.readBytes()).isBetween(1L, (long) RATE + RATE / 2);
    }

    @Test
    void pass_done_beginsAgainOnlyAfterTheInterval() throws IOException {
        long tableBytes = addTable(1);

        assertThat(readIn(100)).isEqualTo(tableBytes);
        addTable(2);
        assertThat(readIn(100)).isZero();
        nowNanos += INTERVAL.toNanos();
        assertThat(readIn(100)).isEqualTo(2 * tableBytes);
    }

    @Test
    void pass_tableAddedOrRemovedMeanwhile_readsTheOthersOnce() throws IOException {
        long tableBytes = addTable(1);
        addTable(2);
        addTable(3);
        long read = readIn(2);
        live.removeLast(); // The table that is being read.
        addTable(4); // Newer than the pass.

        assertThat(readIn(100)).isEqualTo(2 * tableBytes);
        assertThat(read).isLessThan(tableBytes);
    }

    @Test
    void pass_damagedBlocks_areCountedAndTheFileIsLoggedOnce() throws IOException {
        addTable(1);
        addTable(2);
        tables.disk().flipBit("00000001.sst", 20, 1);
        tables.disk().flipBit("00000001.sst", 520, 1);
        readIn(100);
        nowNanos += INTERVAL.toNanos();
        readIn(100);

        assertThat(live.getLast().damage().count()).isEqualTo(2);
        assertThat(live.getFirst().damage().isEmpty()).isTrue();
        assertThat(log.toString()).containsOnlyOnce("file=00000001.sst");
    }

    @Test
    void engine_blockDamagedLater_findsItByItself() {
        StorageOptions often =
                TestOptions.small()
                        .scrubInterval(Duration.ofMillis(10))
                        .scrubBytesPerSecond(1 << 20)
                        .build();
        try (SimulatedEngine engine = new SimulatedEngine(often)) {
            engine.dao().put("a", "value", 1);
            engine.dao().flush();
            Eventually.holds(() -> engine.stats().scrubbedBytes() > 0, engine::stats);
            assertThat(engine.stats().damagedBlockCount()).isZero();
            engine.disk.flipBit(table(engine), 20, 1);

            Eventually.holds(() -> engine.stats().damagedBlockCount() == 1, engine::stats);
        }
    }

    @Test
    void engine_intervalZero_readsNothing() {
        try (SimulatedEngine engine = new SimulatedEngine(TestOptions.small().build())) {
            engine.dao().put("a", "value", 1);
            engine.dao().flush();
            engine.reopen();
            engine.dao().compact();

            assertThat(engine.stats().scrubbedBytes()).isZero();
        }
    }

    private static String table(SimulatedEngine engine) {
        return engine.disk.names().stream()
                .filter(name -> name.endsWith(SSTable.SUFFIX))
                .findAny()
                .orElseThrow();
    }
}
