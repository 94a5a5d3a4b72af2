package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.CorruptionException;
import dht.storage.Eventually;
import dht.storage.LostRange;
import dht.storage.StorageException;
import dht.storage.TestOptions;
import dht.storage.simulation.Operation;
import dht.storage.simulation.Operation.Kind;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A flush that fails reports the failure, leaves nothing behind, and succeeds as soon as it is
 * possible again.
 */
@Timeout(60)
class FlushFailureTest {
    private SimulatedEngine engine = new SimulatedEngine(TestOptions.small().build());

    @AfterEach
    void close() {
        engine.close();
    }

    private static Predicate<Operation> ofTables(Kind kind) {
        return operation -> operation.is(kind, ".sst");
    }

    /** Operations of merges; flushes have a thread of their own. */
    private static Predicate<Operation> ofMerges(Kind kind) {
        return operation ->
                operation.is(kind, ".sst")
                        && Thread.currentThread().getName().equals("storage-compaction");
    }

    @ParameterizedTest
    @EnumSource(names = {"CREATE", "WRITE", "SYNC_FILE", "MAP"})
    void flush_tableCannotBeWritten_throwsAndLeavesNothing(Kind kind) {
        engine.dao().put("a", "1", 1);
        engine.faults.fail(ofTables(kind));

        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> engine.dao().flush())
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("cannot write table: file=")
                    .hasMessageContaining("injected");
        }
        engine.faults.heal();
        engine.dao().flush();

        assertThat(engine.dao().all()).containsExactly("a=1@1");
        assertThat(engine.fileCount(".sst")).isEqualTo(1);
    }

    /** Not for ever: no memtable comes free as long as none can be flushed. */
    @Test
    void flush_allMemTablesFullAndTablesCannotBeWritten_throws() {
        try (SimulatedEngine full = new SimulatedEngine(TestOptions.hostile().build())) {
            full.faults.fail(ofTables(Kind.CREATE));
            full.dao().put("a", "1", 1);
            full.dao().put("b", "2", 2);

            assertThatThrownBy(() -> full.dao().flush())
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("cannot write table");
            full.faults.heal();
            full.dao().flush();

            assertThat(full.dao().all()).containsExactly("a=1@1", "b=2@2");
        }
    }

    @Test
    void flush_failureIsOver_succeedsAtOnce() {
        engine.dao().put("a", "1", 1);
        for (int i = 0; i < 100; i++) {
            engine.faults.failOnce(ofTables(Kind.CREATE));
            try {
                engine.dao().flush();
            } catch (StorageException e) {
                // As expected, unless the background was faster.
            }
            engine.dao().flush(); // Whatever the last round has said.
            engine.dao().put("a", "1", i);
        }
    }

    @Test
    void flush_logRecordDamaged_throwsAndLeavesNoHalfTables() {
        engine.dao().put("a", "long".repeat(100), 1);
        engine.dao().put("b", "damaged", 2);
        String log = engine.disk.names().getFirst();
        engine.disk.flipBit(log, 4096 + 445, 0);

        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> engine.dao().flush())
                    .hasCauseInstanceOf(CorruptionException.class)
                    .hasMessageContaining("file=" + log);
        }
        assertThat(engine.fileCount(".sst")).isZero();
        engine.disk.flipBit(log, 4096 + 445, 0);
        engine.dao().flush();
        assertThat(engine.dao().all()).hasSize(2);
    }

    @Test
    void flush_manifestInForceIsUnknown_writesNoTableInVain() {
        engine.dao().put("a", "1", 1);
        boolean[] isRenamed = {false};
        engine.faults.fail(
                operation -> {
                    isRenamed[0] |= operation.is(Kind.RENAME, "MANIFEST");
                    return isRenamed[0] && operation.kind() == Kind.SYNC_NAMES;
                });
        assertThatThrownBy(() -> engine.dao().flush())
                .hasMessageContaining("cannot sync data directory");
        engine.faults.heal();
        engine.faults.count(ofTables(Kind.CREATE));

        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> engine.dao().flush())
                    .hasMessageContaining("restart the server");
        }
        assertThat(engine.faults.count()).isZero();
        assertThat(engine.dao().all()).containsExactly("a=1@1");
        engine.reopen();
        assertThat(engine.dao().all()).containsExactly("a=1@1");
    }

    @Test
    void flush_tooManyTablesAndMergesFail_throwsInsteadOfWaiting() {
        fillWithTables();
        engine.dao().put("z", "1", 100);

        assertThatThrownBy(() -> engine.dao().flush())
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("storage-compaction failed")
                .hasMessageContaining("injected");
        engine.faults.heal();
        engine.dao().flush();
        assertThat(engine.dao().all()).hasSize(4);
    }

    /** So many that no other may be added. */
    private void fillWithTables() {
        engine.close();
        engine =
                new SimulatedEngine(
                        TestOptions.small().compactionFanIn(3).tableCountMax(3).build());
        engine.faults.fail(ofMerges(Kind.CREATE));
        for (int i = 0; i < 3; i++) {
            engine.dao().put("key" + i, "value", i);
            engine.dao().flush();
        }
    }

    private List<String> tables() {
        return engine.disk.names().stream().filter(name -> name.endsWith(".sst")).sorted().toList();
    }

    /** Damages a table whose only key is this one. */
    private void damage(String table, String key) {
        engine.disk.flipBit(table, 5, 0);
        assertThatThrownBy(() -> engine.dao().get(key)).isInstanceOf(CorruptionException.class);
    }

    /** On both sides of a damaged table are two, fewer than are merged otherwise. */
    @Test
    void flush_tooManyTablesAroundADamagedOne_goesOnAndTheTableCanBeMended() {
        fillWithTables();
        damage(tables().get(2), "key2");
        for (int i = 3; i < 5; i++) {
            engine.dao().put("key" + i, "value", i);
            engine.dao().flush();
        }
        List<LostRange> lost = engine.damagedTables().lost().getFirst();
        engine.dao().put("key2", "value", 2);
        assertThat(isFlushed()).as("with five tables, and merges that fail").isFalse();
        engine.faults.heal();

        engine.dao().flush();
        engine.damagedTables().drop(lost);

        assertThat(engine.dao().all())
                .containsExactly(
                        "key0=value@0",
                        "key1=value@1",
                        "key2=value@2",
                        "key3=value@3",
                        "key4=value@4");
    }

    @Test
    void flush_tooManyTablesAndAllDamaged_goesOn() {
        fillWithTables();
        tables().forEach(name -> engine.disk.flipBit(name, 5, 0));
        engine.faults.heal();

        for (int i = 0; i < 10; i++) {
            engine.dao().put("z", "1", 100 + i);
            Eventually.holds(this::isFlushed, () -> "not flushed");
        }
        int damaged = 3;
        assertThat(engine.stats().tableCount()).isLessThanOrEqualTo(3 + 2 * damaged);
    }

    /** The disk is failing, so the number of tables must not grow for ever. */
    @Test
    void flush_farTooManyDamagedTables_throwsInsteadOfWaiting() {
        fillWithTables();
        for (int i = 0; i < 3; i++) {
            damage(tables().get(i), "key" + i);
        }
        engine.faults.heal();
        int tablesMax = 3 + 2 * Snapshot.DAMAGED_TABLES_MAX;
        AtomicInteger writes = new AtomicInteger(10);

        Eventually.holds(() -> isStuckAfterDamage("key" + writes.incrementAndGet()), this::tables);

        assertThat(engine.stats().tableCount()).isEqualTo(tablesMax);
    }

    /** Writes one more table, and damages it. Returns false if that was possible. */
    private boolean isStuckAfterDamage(String key) {
        try {
            engine.dao().put(key, "value", 1);
            engine.dao().flush();
            damage(tables().getLast(), key);
            return false;
        } catch (StorageException e) {
            return e.getMessage().contains("too many damaged tables")
                    && e.getMessage().contains("damaged=[")
                    && e.getMessage().contains("restore these files from a backup");
        }
    }

    /** The first attempts fail as long as a merge finds further damage. */
    private boolean isFlushed() {
        try {
            engine.dao().flush();
            return true;
        } catch (StorageException _) {
            return false;
        }
    }

    @Test
    void unfinishedTable_thatCannotBeDeleted_isDeletedLater() {
        engine.dao().put("a", "1", 1);
        engine.faults.fail(
                operation ->
                        operation.is(Kind.SYNC_FILE, ".sst") || operation.is(Kind.DELETE, ".sst"));
        assertThatThrownBy(engine.dao()::flush).isInstanceOf(StorageException.class);
        assertThat(engine.fileCount(".sst")).isPositive();
        engine.faults.heal();
        engine.dao().flush();

        assertThat(engine.fileCount(".sst")).isEqualTo(1);
    }

    /** A server that stops does not wait for a flush that waits for a long merge. */
    @Test
    void flush_interruptedMeanwhile_endsAndTheWorkGoesOn() throws InterruptedException {
        engine.dao().put("a", "1", 1);
        engine.faults.block(ofTables(Kind.CREATE));
        AtomicReference<RuntimeException> outcome = new AtomicReference<>();
        AtomicBoolean isStillInterrupted = new AtomicBoolean();
        Thread flushing =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        engine.dao().flush();
                                    } catch (RuntimeException e) {
                                        outcome.set(e);
                                        isStillInterrupted.set(Thread.interrupted());
                                    }
                                });
        engine.faults.awaitBlocked();
        flushing.interrupt();
        flushing.join();

        assertThat(outcome.get())
                .isInstanceOf(StorageException.class)
                .hasMessage("interrupted while waiting for a flush");
        assertThat(isStillInterrupted).isTrue();
        engine.faults.release();
        engine.dao().flush();
        assertThat(engine.fileCount(".sst")).isEqualTo(1);
    }

    @Test
    void flush_closedMeanwhile_doesNotPretend() throws InterruptedException {
        engine.dao().put("a", "1", 1);
        engine.faults.block(ofTables(Kind.CREATE));
        AtomicReference<RuntimeException> outcome = new AtomicReference<>();
        Thread flushing =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        engine.dao().flush();
                                    } catch (RuntimeException e) {
                                        outcome.set(e);
                                    }
                                });
        engine.faults.awaitBlocked();
        engine.faults.fail(ofTables(Kind.CREATE));
        Thread closing = Thread.ofPlatform().start(() -> engine.dao().dao().close());
        engine.faults.release();
        flushing.join();
        closing.join();

        assertThat(outcome.get()).isInstanceOf(StorageException.class);
        assertThat(engine.fileCount(".sst")).isZero();
    }

    @Test
    void compact_tableCannotBeWritten_throwsAndLeavesNothing() {
        engine.dao().put("a", "1", 1);
        engine.dao().flush();
        engine.dao().put("b", "2", 2);
        engine.dao().flush();
        for (Kind kind : new Kind[] {Kind.CREATE, Kind.WRITE, Kind.SYNC_FILE, Kind.MAP}) {
            engine.faults.fail(ofMerges(kind));

            assertThatThrownBy(() -> engine.dao().compact())
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("injected");
            assertThat(engine.dao().all()).containsExactly("a=1@1", "b=2@2");
        }
        engine.faults.heal();
        engine.dao().compact();

        assertThat(engine.dao().all()).containsExactly("a=1@1", "b=2@2");
        Eventually.holds(() -> engine.fileCount(".sst") == 1, () -> engine.disk.names());
    }
}
