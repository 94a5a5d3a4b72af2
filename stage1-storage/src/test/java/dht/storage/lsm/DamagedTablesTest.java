package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.CorruptionException;
import dht.storage.Durability;
import dht.storage.Eventually;
import dht.storage.LostRange;
import dht.storage.StorageException;
import dht.storage.StorageOptions;
import dht.storage.TestOptions;
import dht.storage.TextDao;
import dht.storage.simulation.DiskImage;
import dht.storage.simulation.Operation.Kind;
import dht.storage.simulation.SimulatedDisk;
import dht.storage.sstable.SSTable;
import dht.storage.sstable.Tables;
import dht.testkit.allocation.AllocationSchedules;
import dht.testkit.allocation.Allocations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Lost ranges fail the reads that need them until they are dropped, and nothing else. */
@Timeout(120)
class DamagedTablesTest {
    private static final StorageOptions OPTIONS =
            TestOptions.small().durability(Durability.FSYNC).blockBytes(1).build();
    private static final int BLOCK_BYTES = 24; // Each entry has a block of its own.

    private SimulatedEngine engine = new SimulatedEngine(OPTIONS);

    @AfterEach
    void close() {
        engine.close();
    }

    /** One table of four blocks, over one older table. */
    private void fill(TextDao dao) {
        dao.put("b", "0", 1);
        dao.put("e", "0", 2);
        dao.flush();
        dao.put("a", "1", 3);
        dao.delete("b", 4);
        dao.put("c", "3", 5);
        dao.put("d", "4", 6);
        dao.flush();
    }

    private String newestTable() {
        return engine.disk.names().stream()
                .filter(name -> name.endsWith(SSTable.SUFFIX))
                .max(String::compareTo)
                .orElseThrow();
    }

    /** The tombstone's block is shorter than the others. */
    private void damage(String table, int block) {
        engine.disk.flipBit(table, (long) block * BLOCK_BYTES - (block > 1 ? 1 : 0) + 6, 3);
    }

    private void damageB() {
        damage(newestTable(), 1);
        assertThatThrownBy(() -> engine.dao().get("b")).isInstanceOf(CorruptionException.class);
    }

    private List<LostRange> onlyLost() {
        assertThat(engine.damagedTables().lost()).hasSize(1);
        return engine.damagedTables().lost().getFirst();
    }

    private List<String> doubtful(LostRange range, long beforeMicros) {
        return engine.damagedTables()
                .doubtful(range, beforeMicros)
                .map(Tables::rest)
                .orElse(List.of());
    }

    @Test
    void lost_noDamage_isEmpty() {
        fill(engine.dao());

        assertThat(engine.damagedTables().lost()).isEmpty();
    }

    @Test
    void lost_damagedBlock_staysAndFailsWhatNeedsIt() {
        fill(engine.dao());
        damageB();

        LostRange range = onlyLost().getFirst();
        assertThat(TextDao.text(range.from())).isEqualTo("b");
        assertThat(TextDao.text(range.to())).isEqualTo("c");
        engine.dao().put("b", "old", 2); // Not newer than what may be lost.
        assertThatThrownBy(() -> engine.dao().get("b")).isInstanceOf(CorruptionException.class);
        assertThatThrownBy(() -> engine.dao().range("b", "c"))
                .isInstanceOf(CorruptionException.class);
        assertThatThrownBy(engine.dao()::compact).isInstanceOf(StorageException.class);
        assertThat(engine.dao().get("c")).isEqualTo("3@5");
        engine.dao().put("b", "new", 7);
        assertThat(engine.dao().get("b")).isEqualTo("new@7");
    }

    @Test
    void drop_lostVersionsWrittenAgain_servesTheRangeAgain() {
        fill(engine.dao());
        damageB();
        List<LostRange> lost = onlyLost();
        engine.dao().delete("b", 4);
        engine.dao().flush();
        engine.damagedTables().drop(lost);

        assertThat(engine.damagedTables().lost()).isEmpty();
        assertThat(engine.dao().get("b")).isEqualTo("deleted@4");
        assertThat(engine.dao().all()).containsExactly("a=1@3", "c=3@5", "d=4@6", "e=0@2");
        engine.reopen();
        assertThat(engine.dao().all()).containsExactly("a=1@3", "c=3@5", "d=4@6", "e=0@2");
        engine.dao().compact();
        assertThat(engine.dao().all()).containsExactly("a=1@3", "c=3@5", "d=4@6", "e=0@2");
    }

    @Test
    void drop_allBlocksLost_removesTheTableAndItsFile() {
        fill(engine.dao());
        String table = newestTable();
        for (int block = 0; block < 4; block++) {
            damage(table, block);
        }
        for (String key : List.of("a", "b", "c", "d")) {
            assertThatThrownBy(() -> engine.dao().get(key)).isInstanceOf(CorruptionException.class);
        }
        engine.damagedTables().drop(onlyLost());

        assertThat(engine.dao().all()).containsExactly("b=0@1", "e=0@2");
        Eventually.holds(() -> !engine.disk.names().contains(table), engine.disk::names);
    }

    /** A server that stops does not wait for the end of a long merge. */
    @Test
    void drop_interruptedMeanwhile_endsAndTheBlocksStayOrGo() throws InterruptedException {
        fill(engine.dao());
        damageB();
        List<LostRange> lost = onlyLost();
        engine.faults.block(operation -> operation.is(Kind.CREATE, SSTable.SUFFIX));
        AtomicReference<RuntimeException> outcome = new AtomicReference<>();
        Thread dropping =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        engine.damagedTables().drop(lost);
                                    } catch (RuntimeException e) {
                                        outcome.set(e);
                                    }
                                });
        engine.faults.awaitBlocked();
        dropping.interrupt();
        dropping.join();

        assertThat(outcome.get()).isInstanceOf(StorageException.class);
        assertThat(engine.damagedTables().lost()).containsExactly(lost);
        engine.faults.release();
        Eventually.holds(() -> engine.damagedTables().lost().isEmpty(), () -> "it did not go on");
        assertThat(engine.dao().all()).containsExactly("a=1@3", "b=0@1", "c=3@5", "d=4@6", "e=0@2");
    }

    /** What was not fetched must not be dropped. */
    @Test
    void drop_anotherBlockIsDamagedToo_dropsNothingAndFindsAllDamage() {
        fill(engine.dao());
        damageB();
        List<LostRange> lost = onlyLost();
        damage(newestTable(), 0);
        damage(newestTable(), 3);

        assertThatThrownBy(() -> engine.damagedTables().drop(lost))
                .isInstanceOf(CorruptionException.class);
        assertThat(onlyLost()).hasSize(2); // a and b, and d
        for (String key : List.of("a", "b", "d")) {
            assertThatThrownBy(() -> engine.dao().get(key)).isInstanceOf(CorruptionException.class);
        }
        engine.damagedTables().drop(onlyLost());
        assertThat(engine.damagedTables().lost()).isEmpty();
    }

    @Test
    void drop_blockCanBeReadAgain_keepsItsEntries() {
        fill(engine.dao());
        damageB();
        List<LostRange> lost = onlyLost();
        damage(newestTable(), 1);
        engine.damagedTables().drop(lost);

        assertThat(engine.dao().get("b")).isEqualTo("deleted@4");
    }

    @Test
    void drop_tableIsGone_doesNothing() {
        fill(engine.dao());
        damageB();
        List<LostRange> lost = onlyLost();
        engine.damagedTables().drop(lost);
        engine.damagedTables().drop(lost);

        assertThat(engine.dao().all()).contains("a=1@3", "c=3@5");
    }

    @ParameterizedTest
    @EnumSource(names = {"CREATE", "WRITE", "SYNC_FILE", "MAP", "RENAME"})
    void drop_tableCannotBeReplaced_keepsTheDamagedOne(Kind kind) {
        fill(engine.dao());
        damageB();
        List<LostRange> lost = onlyLost();
        engine.faults.fail(
                operation -> operation.is(kind, kind == Kind.RENAME ? "" : SSTable.SUFFIX));

        assertThatThrownBy(() -> engine.damagedTables().drop(lost))
                .isInstanceOf(StorageException.class);
        engine.faults.heal();
        assertThatThrownBy(() -> engine.dao().get("b")).isInstanceOf(CorruptionException.class);
        assertThat(engine.dao().get("c")).isEqualTo("3@5");
    }

    /** Whether the damage is dropped or not: nothing else is lost, and b is not what it was. */
    @Test
    void crash_atAnyOperationOfADrop_leavesOneTableOrTheOther() {
        boolean isThrough = false;
        for (long operation = 1; !isThrough; operation++) {
            engine.close();
            engine = new SimulatedEngine(new SimulatedDisk(), OPTIONS);
            fill(engine.dao());
            damageB();
            List<LostRange> lost = onlyLost();
            engine.dao().delete("b", 4);
            engine.dao().flush();
            long before = engine.disk.operationCount();
            engine.disk.crashAfter(before + operation);
            try {
                engine.damagedTables().drop(lost);
            } catch (StorageException e) {
                assertThat(engine.disk.hasCrashed()).isTrue();
            }
            isThrough = !engine.disk.hasCrashed();
            DiskImage image = engine.kill();
            engine = SimulatedEngine.start(image, OPTIONS);
            checkAfterCrash();
        }
    }

    private void checkAfterCrash() {
        List<String> found = new ArrayList<>();
        for (String key : List.of("a", "c", "d", "e")) {
            found.add(engine.dao().get(key));
        }
        assertThat(found).containsExactly("1@3", "3@5", "4@6", "0@2");
        try {
            assertThat(engine.dao().get("b")).isEqualTo("deleted@4");
        } catch (CorruptionException e) {
            engine.damagedTables().drop(onlyLost());
            assertThat(engine.dao().get("b")).isEqualTo("deleted@4");
        }
    }

    @Test
    void doubtful_valueUnderALostTombstone_isThere() {
        fill(engine.dao());
        damageB();
        LostRange range = onlyLost().getFirst();

        assertThat(doubtful(range, 100)).containsExactly("b=0@1");
        assertThat(doubtful(range, 4)).containsExactly("b=0@1");
        assertThat(doubtful(range, 3)).isEmpty(); // All that was lost is newer.
        engine.dao().put("b", "new", 7);
        assertThat(doubtful(range, 100)).isEmpty();
        engine.dao().delete("b", 8);
        assertThat(doubtful(range, 100)).isEmpty();
    }

    @Test
    void doubtful_keyThatTheTableNeverHad_isNot() {
        fill(engine.dao());
        damageB();
        LostRange range = onlyLost().getFirst();
        int passed = 0;
        for (int i = 0; i < 100; i++) {
            engine.dao().put("b" + i, "other", 2);
        }
        for (String entry : doubtful(range, 100)) {
            passed += entry.startsWith("b=") ? 0 : 1;
        }

        assertThat(passed).isLessThan(30);
    }

    @Test
    void compaction_damagedTable_isLeftAloneAndTheOthersAreMerged() {
        fill(engine.dao());
        damageB();
        for (int i = 0; i < 8; i++) {
            engine.dao().put("f" + i, "value", 10 + i);
            engine.dao().flush();
        }

        Eventually.holds(() -> engine.stats().totals().compactedBytes() > 0, engine::stats);
        assertThat(engine.stats().damagedBlockCount()).isEqualTo(1);
        assertThat(engine.dao().get("f0")).isEqualTo("value@10");
        assertThatThrownBy(() -> engine.dao().get("b")).isInstanceOf(CorruptionException.class);
    }

    /** An engine without threads is asked for doubtful values. Each allocation fails once. */
    static final class LittleMemory implements LongConsumer {
        @Override
        public void accept(long seed) {
            DiskImage damaged = damagedImage();
            long failing = 0;
            while (isTooLittle(damaged, failing)) {
                failing++;
            }
            assertThat(failing).isGreaterThan(20);
        }

        private static DiskImage damagedImage() {
            SimulatedEngine engine = new SimulatedEngine(OPTIONS);
            engine.dao().put("a", "old", 1);
            engine.dao().flush();
            engine.dao().put("a", "new", 2);
            engine.dao().flush();
            DiskImage killed = engine.kill();
            String newest =
                    killed.files().stream()
                            .filter(name -> name.endsWith(SSTable.SUFFIX))
                            .max(String::compareTo)
                            .orElseThrow();
            return killed.withFlippedBit(newest, 6, 3);
        }

        private static boolean isTooLittle(DiskImage damaged, long failing) {
            try (SimulatedDisk disk = damaged.start();
                    Recovery recovery =
                            Recovery.run(disk.directory(), Durability.FSYNC, Runnable::run)) {
                Snapshot first = new Snapshot(recovery.memTables(), recovery.tables());
                try (Snapshots snapshots =
                                new Snapshots(disk.directory(), true, recovery.manifest(), first);
                        Pins pins =
                                new Pins(
                                        OPTIONS, snapshots::pin, Runnable::run, System::nanoTime)) {
                    first.tables().forEach(table -> table.damage().checkAll(() -> false));
                    DamagedTables tables = new DamagedTables(snapshots, pins, null, null);
                    LostRange range = tables.lost().getFirst().getFirst();
                    return Allocations.runsOutOfMemory(
                            failing,
                            () -> tables.doubtful(range, Long.MAX_VALUE).orElseThrow().close());
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** What a cursor keeps would show when the disk is closed: it counts the open files. */
    @Test
    void doubtful_noMemoryForTheCursor_keepsNothing() throws Exception {
        AllocationSchedules.run(LsmDao.class, LittleMemory.class, 1);
    }
}
