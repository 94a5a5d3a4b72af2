package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.Eventually;
import dht.storage.StorageOptions;
import dht.storage.StorageUnavailableException;
import dht.storage.TestOptions;
import dht.storage.simulation.Operation;
import dht.storage.simulation.Operation.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * When flushing can't keep up, writes are first slowed down, then wait, and then are rejected;
 * reads continue.
 */
@Timeout(60)
class BackPressureTest {
    private static final String VALUE = "long".repeat(25);

    private static StorageOptions.Builder options() {
        return TestOptions.small().memTableCountMax(2).writeStallMax(Duration.ofMillis(20));
    }

    private static boolean isTableCreated(Operation operation) {
        return operation.is(Kind.CREATE, ".sst");
    }

    /** Writes until a write is refused, and answers how many were taken. */
    private static int fill(SimulatedEngine engine) {
        return fill(engine, 2);
    }

    private static int fill(SimulatedEngine engine, int memTableCount) {
        // Otherwise a late spare would be one more reason to wait, or to refuse a write.
        Eventually.holds(() -> engine.fileCount(".log") == 2, engine.disk::names);
        int count = 0;
        try {
            while (true) {
                engine.dao().put("key" + count, VALUE, count + 1);
                count++;
            }
        } catch (StorageUnavailableException e) {
            assertThat(e)
                    .hasMessageContaining("flushing cannot keep up")
                    .hasMessageContaining("memtables=" + memTableCount);
        }
        return count;
    }

    @Test
    void flushing_blocked_writesAreRefusedAndReadsGoOn() throws InterruptedException {
        try (SimulatedEngine engine = new SimulatedEngine(options().build())) {
            engine.faults.block(BackPressureTest::isTableCreated);
            int count = fill(engine);
            engine.faults.awaitBlocked();

            assertThat(count).isBetween(40, 80); // Two memtables full.
            assertThat(engine.dao().all()).hasSize(count);
            assertThat(engine.dao().get("key0")).isEqualTo(VALUE + "@1");
            assertThat(engine.stats().refusalCount()).isEqualTo(1);
            assertThat(engine.stats().stallCount()).isEqualTo(1);
            assertThatThrownBy(() -> engine.dao().delete("key0", 1000))
                    .isInstanceOf(StorageUnavailableException.class);
            assertThat(engine.dao().get("key0")).isEqualTo(VALUE + "@1");
        }
    }

    /** However long a flush takes, writes are refused only when there is no memtable left. */
    @Test
    void flushing_blockedWithMemTablesLeft_allAreUsedFirst() throws InterruptedException {
        StorageOptions four =
                options().memTableCountMax(4).writeStallMax(Duration.ofSeconds(2)).build();
        try (SimulatedEngine engine = new SimulatedEngine(four)) {
            engine.faults.block(BackPressureTest::isTableCreated);
            int count = fill(engine, 4);
            engine.faults.awaitBlocked();

            assertThat(count).isBetween(80, 160);
            assertThat(engine.stats().memTableCount()).isEqualTo(4);
        }
    }

    @Test
    void flushing_goesOn_writesAreTakenAgain() throws InterruptedException {
        try (SimulatedEngine engine = new SimulatedEngine(options().build())) {
            engine.faults.block(BackPressureTest::isTableCreated);
            int count = fill(engine);
            engine.faults.release();

            Eventually.holds(() -> isTaken(engine, "more"), () -> "still refused");
            assertThat(engine.dao().all()).hasSize(count + 1);
        }
    }

    private static boolean isTaken(SimulatedEngine engine, String key) {
        try {
            engine.dao().put(key, VALUE, 10_000);
            return true;
        } catch (StorageUnavailableException e) {
            return false;
        }
    }

    /** Waiting is up to the whole stall: who comes later is not made to wait as long once more. */
    @Test
    void write_stalledForLongAlready_isRefusedAtOnce() {
        StorageOptions options = options().writeStallMax(Duration.ofSeconds(2)).build();
        try (SimulatedEngine engine = new SimulatedEngine(options)) {
            engine.faults.block(BackPressureTest::isTableCreated);
            fill(engine);
            long startNanos = System.nanoTime();
            for (int i = 0; i < 100; i++) {
                assertThat(isTaken(engine, "more")).isFalse();
            }

            assertThat(Duration.ofNanos(System.nanoTime() - startNanos))
                    .isLessThan(Duration.ofSeconds(20)); // Not 100 times two seconds.
        }
    }

    @Test
    void write_flushingIsBehind_isSlowedDown() {
        StorageOptions options = options().memTableBytes(16 << 10).build();
        try (SimulatedEngine engine = new SimulatedEngine(options)) {
            engine.faults.block(BackPressureTest::isTableCreated);
            long startNanos = System.nanoTime();
            int count = fill(engine);

            // Half of the last memtable, with delays that grow up to a millisecond each.
            assertThat(count).isBetween(150, 250);
            assertThat(System.nanoTime() - startNanos).isGreaterThan(10_000_000);
        }
    }

    /** All wait for one memtable: it has room for each of them. */
    @Test
    void writers_waitingTogether_fillOneMemTable() throws InterruptedException {
        StorageOptions patient = options().writeStallMax(Duration.ofMinutes(1)).build();
        try (SimulatedEngine engine = new SimulatedEngine(patient)) {
            engine.faults.block(BackPressureTest::isTableCreated);
            List<Thread> writers = new ArrayList<>();
            for (int i = 0; i < 80; i++) {
                int number = i;
                writers.add(
                        Thread.ofPlatform()
                                .start(() -> engine.dao().put("key" + number, VALUE, 1)));
            }
            engine.faults.awaitBlocked();
            Eventually.holds(
                    () ->
                            writers.stream()
                                    .filter(Thread::isAlive)
                                    .allMatch(it -> it.getState() == Thread.State.TIMED_WAITING),
                    () -> writers);
            engine.faults.count(operation -> operation.is(Kind.RENAME, ".log"));
            engine.faults.release();
            for (Thread writer : writers) {
                writer.join();
            }

            engine.dao().flush();
            assertThat(engine.dao().all()).hasSize(80);
            assertThat(engine.faults.count()).isLessThanOrEqualTo(3);
        }
    }

    @Test
    void tables_tooMany_flushingWaitsForMerging() throws InterruptedException {
        StorageOptions options =
                options()
                        .compactionFanIn(2)
                        .tableCountMax(2)
                        .writeStallMax(Duration.ofSeconds(2))
                        .build();
        try (SimulatedEngine engine = new SimulatedEngine(options)) {
            engine.faults.block(
                    operation ->
                            isTableCreated(operation)
                                    && Thread.currentThread()
                                            .getName()
                                            .equals("storage-compaction"));
            int count = fill(engine);
            engine.faults.awaitBlocked();

            assertThat(engine.stats().tableCount()).isEqualTo(2);
            assertThat(engine.stats().memTableCount()).isEqualTo(2);
            assertThat(engine.dao().all()).hasSize(count);
            engine.faults.release();
            Eventually.holds(() -> isTaken(engine, "more"), () -> "still refused");
            engine.dao().flush();
            assertThat(engine.stats().tableCount()).isLessThanOrEqualTo(2);
        }
    }

    private static boolean isOfMerges(Operation operation) {
        return operation.name().endsWith(".sst")
                && Thread.currentThread().getName().equals("storage-compaction");
    }

    private static void flushTables(SimulatedEngine engine, int count, String value) {
        for (int i = 0; i < count; i++) {
            engine.dao().put("key" + engine.disk.operationCount(), value, 1);
            engine.dao().flush();
        }
    }

    private static List<String> logs(SimulatedEngine engine) {
        return engine.disk.names().stream().filter(name -> name.endsWith(".log")).toList();
    }

    /** Memtables can be used again, although the merge reads its tables. */
    @Test
    void merge_thatTakesLong_keepsNoMemTable() throws InterruptedException {
        StorageOptions options = TestOptions.small().compactionFanIn(2).tableCountMax(500).build();
        try (SimulatedEngine engine = new SimulatedEngine(options)) {
            engine.faults.block(BackPressureTest::isOfMerges);
            flushTables(engine, 2, VALUE);
            engine.faults.awaitBlocked();
            List<String> before = logs(engine);
            // One of the files may be free, and wait for the next memtable that needs one.
            for (int i = 0; i < 400 && !Collections.disjoint(logs(engine), before); i++) {
                flushTables(engine, 1, VALUE);
            }

            assertThat(logs(engine)).doesNotContainAnyElementsOf(before);
            engine.faults.release();
        }
    }

    /** It pauses for a merge of newer tables, although these are fewer than usual. */
    @Test
    void merge_ofAlmostAllTables_letsFlushingGoOn() throws InterruptedException {
        StorageOptions options = TestOptions.small().compactionFanIn(3).tableCountMax(5).build();
        String large = "large".repeat(30_000); // Three of them need more than one step of a merge.
        AtomicReference<String> merged = new AtomicReference<>();
        Semaphore mayEnd = new Semaphore(0);
        try (SimulatedEngine engine = new SimulatedEngine(options)) {
            engine.faults.block(
                    each -> isOfMerges(each) && merged.compareAndSet(null, each.name()));
            engine.faults.fail(
                    each -> {
                        if (each.kind() == Kind.SYNC_FILE && each.name().equals(merged.get())) {
                            mayEnd.acquireUninterruptibly();
                        }
                        return false;
                    });
            flushTables(engine, 3, large);
            engine.faults.awaitBlocked();
            flushTables(engine, 2, VALUE);
            assertThat(engine.stats().tableCount()).isEqualTo(5);
            engine.faults.release();
            flushTables(engine, 1, VALUE); // Does not wait for what cannot end yet.
            mayEnd.release();
        }
    }

    @Test
    void tableCount_whileManyAreFlushed_isBounded() {
        StorageOptions options =
                TestOptions.small().memTableBytes(6000).compactionFanIn(3).tableCountMax(4).build();
        try (SimulatedEngine engine = new SimulatedEngine(options)) {
            for (int i = 0; i < 2000; i++) {
                engine.dao().put("key" + i % 500, VALUE, i);
                assertThat(engine.stats().tableCount()).isLessThanOrEqualTo(4);
                assertThat(engine.stats().memTableCount()).isLessThanOrEqualTo(4);
            }
            assertThat(engine.dao().all()).hasSize(500);
        }
    }

    @Test
    void write_interruptedWhileItWaits_isRefusedAndStaysInterrupted() throws InterruptedException {
        StorageOptions options = options().writeStallMax(Duration.ofMinutes(1)).build();
        try (SimulatedEngine engine = new SimulatedEngine(options)) {
            engine.faults.block(BackPressureTest::isTableCreated);
            boolean[] stillInterrupted = {false};
            Thread writer =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            fill(engine);
                                        } catch (AssertionError refusedForAnotherReason) {
                                            stillInterrupted[0] = Thread.interrupted();
                                        }
                                    });
            Eventually.holds(() -> engine.stats().stallCount() == 1, () -> "no stall");
            writer.interrupt();
            writer.join();

            assertThat(stillInterrupted[0]).isTrue();
        }
    }
}
