package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.Durability;
import dht.storage.EntryCursor;
import dht.storage.Eventually;
import dht.storage.StorageException;
import dht.storage.StorageOptions;
import dht.storage.StorageUnavailableException;
import dht.storage.TestOptions;
import dht.storage.TextDao;
import dht.storage.file.LocalDirectory;
import dht.storage.file.MappedFile;
import dht.storage.log.LogFiles;
import dht.storage.log.WriteAheadLog;
import dht.storage.memory.Layouts;
import dht.storage.simulation.Hook;
import dht.storage.simulation.HookedDirectory;
import dht.storage.simulation.Operation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * With durability FSYNC, writers that wait at the same time share a sync, and no write returns
 * before its sync.
 */
@Timeout(60)
class GroupCommitTest {
    private static final int WRITERS = 64;
    private static final int WRITES = 20;
    private static final StorageOptions FSYNC =
            StorageOptions.builder().durability(Durability.FSYNC).build();

    @TempDir Path path;

    /**
     * A disk so slow that, while it syncs, every writer has logged a record and waits: so how many
     * share the next sync depends on the engine alone, and not on the machine.
     */
    private final class SlowDisk implements Hook {
        final AtomicInteger running = new AtomicInteger();
        final AtomicInteger syncs = new AtomicInteger();

        @Override
        public void before(Operation operation) throws IOException {
            if (SimulatedEngine.isGroupSync(operation) && running.get() > 0) {
                syncs.incrementAndGet();
                Eventually.holds(() -> waiting() >= running.get(), this::waiting);
            }
        }

        /** Records that the log's header says were appended, and not that they were synced. */
        private long waiting() {
            try (LocalDirectory directory = LocalDirectory.openForReading(path);
                    MappedFile log = directory.map(LogFiles.name(1))) {
                long appendedUpTo = log.memory().get(Layouts.LONG, 64);
                long syncedUpTo = log.memory().get(Layouts.LONG, 128);
                long bytes = appendedUpTo - Math.max(WriteAheadLog.START, syncedUpTo);
                return bytes / WriteAheadLog.recordBytes("key00".length(), "value".length());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Test
    void write_manyWriters_shareOneSyncBetweenTenOrMore() throws Exception {
        SlowDisk slowDisk = new SlowDisk();
        try (LsmDao dao =
                LsmDao.open(new HookedDirectory(LocalDirectory.open(path), slowDisk), FSYNC)) {
            TextDao text = new TextDao(dao);
            slowDisk.running.set(WRITERS);
            List<Thread> writers = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                String key = "key%02d".formatted(i);
                writers.add(Thread.ofPlatform().start(() -> write(text, key, slowDisk)));
            }
            for (Thread writer : writers) {
                writer.join();
            }

            assertThat(dao.stats().syncCount()).isEqualTo(slowDisk.syncs.get());
            assertThat(WRITERS * WRITES / slowDisk.syncs.get()).isGreaterThanOrEqualTo(10);
            assertThat(text.all()).hasSize(WRITERS).allMatch(it -> it.endsWith("@" + WRITES));
        }
    }

    private static void write(TextDao dao, String key, SlowDisk slowDisk) {
        for (int i = 1; i <= WRITES; i++) {
            dao.put(key, "value", i);
        }
        slowDisk.running.decrementAndGet();
    }

    @Test
    void write_syncUnderWay_isNeitherAcknowledgedNorSeen() throws InterruptedException {
        try (SimulatedEngine engine = new SimulatedEngine(FSYNC)) {
            engine.dao().put("a", "old", 1);
            engine.faults.block(SimulatedEngine::isGroupSync);
            Thread writer = Thread.ofPlatform().start(() -> engine.dao().put("a", "new", 2));
            engine.faults.awaitBlocked();
            try (EntryCursor cursor = engine.dao().cursor(null, null)) {
                assertThat(writer.isAlive()).isTrue();
                assertThat(engine.dao().get("a")).isEqualTo("old@1");

                engine.faults.release();
                writer.join();
                assertThat(engine.dao().get("a")).isEqualTo("new@2");
                assertThat(TextDao.rest(cursor)).containsExactly("a=old@1");
            }
        }
    }

    /** What began while a sync was under way is not part of it. */
    @Test
    void write_begunDuringASync_waitsForTheNext() throws InterruptedException {
        try (SimulatedEngine engine = new SimulatedEngine(FSYNC)) {
            engine.faults.block(SimulatedEngine::isGroupSync);
            Thread first = Thread.ofPlatform().start(() -> engine.dao().put("a", "1", 1));
            engine.faults.awaitBlocked();
            Thread second = Thread.ofPlatform().start(() -> engine.dao().put("b", "2", 2));
            Eventually.holds(
                    () -> second.getState() == Thread.State.WAITING, () -> second.getState());
            engine.faults.count(SimulatedEngine::isGroupSync);
            engine.faults.release();
            first.join();
            second.join();

            assertThat(engine.faults.count()).isEqualTo(1);
            assertThat(engine.dao().all()).hasSize(2);
        }
    }

    @Test
    void sync_fails_storageTakesNoMoreAndShowsNothingUnsynced() {
        try (SimulatedEngine engine = new SimulatedEngine(FSYNC)) {
            engine.dao().put("a", "old", 1);
            engine.faults.failOnce(SimulatedEngine::isGroupSync);

            assertThatThrownBy(() -> engine.dao().put("a", "new", 2))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("cannot sync log: file=00000001.log")
                    .hasMessageContaining("restart the server");
            assertThatThrownBy(() -> engine.dao().put("b", "new", 3))
                    .isInstanceOf(StorageUnavailableException.class)
                    .hasMessageContaining("cannot sync log");
            assertThatThrownBy(() -> engine.dao().delete("b", 3))
                    .isInstanceOf(StorageUnavailableException.class);
            assertThatThrownBy(() -> engine.dao().flush())
                    .isInstanceOf(StorageUnavailableException.class);
            assertThat(engine.dao().all()).containsExactly("a=old@1");
        }
    }

    /** An fsync that is repeated after a failure may succeed without having written anything. */
    @Test
    void sync_failedOnce_isNotTriedAgain() throws InterruptedException {
        try (SimulatedEngine engine = new SimulatedEngine(FSYNC)) {
            engine.faults.block(SimulatedEngine::isGroupSync);
            List<Throwable> failures = new ArrayList<>();
            List<Thread> writers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                String key = "key" + i;
                writers.add(Thread.ofPlatform().start(() -> collect(engine, key, failures)));
            }
            engine.faults.awaitBlocked();
            Eventually.holds(
                    () -> writers.stream().allMatch(it -> it.getState() == Thread.State.WAITING),
                    () -> writers);
            engine.faults.failOnce(SimulatedEngine::isGroupSync);
            engine.faults.count(SimulatedEngine::isGroupSync);
            engine.faults.release();
            for (Thread writer : writers) {
                writer.join();
            }

            assertThat(failures)
                    .hasSize(4)
                    .allMatch(failure -> failure.getMessage().startsWith("cannot sync log"));
            assertThat(engine.faults.count()).isZero();
            assertThat(engine.dao().all()).isEmpty();
        }
    }

    private static void collect(SimulatedEngine engine, String key, List<Throwable> failures) {
        try {
            engine.dao().put(key, "value", 1);
        } catch (StorageException e) {
            synchronized (failures) {
                failures.add(e);
            }
        }
    }

    /** A leader that dies of an Error must not leave those who follow it waiting for ever. */
    @Test
    void sync_throwsError_failsAllWhoWait() throws Exception {
        AtomicReference<Thread> blocked = new AtomicReference<>();
        try (SimulatedEngine engine = new SimulatedEngine(FSYNC)) {
            engine.faults.block(SimulatedEngine::isGroupSync);
            engine.faults.fail(
                    operation -> {
                        if (SimulatedEngine.isGroupSync(operation)) {
                            throw new InternalError("a fault occurred in an unsafe memory access");
                        }
                        return false;
                    });
            List<Throwable> failures = new ArrayList<>();
            Thread leader = Thread.ofPlatform().start(() -> collect(engine, "a", failures));
            engine.faults.awaitBlocked();
            blocked.set(Thread.ofPlatform().start(() -> collect(engine, "b", failures)));
            Eventually.holds(
                    () -> blocked.get().getState() == Thread.State.WAITING,
                    () -> blocked.get().getState());
            engine.faults.release();
            leader.join();
            blocked.get().join();

            assertThat(failures).hasSize(2);
            assertThatThrownBy(() -> engine.dao().put("c", "value", 1))
                    .isInstanceOf(StorageUnavailableException.class)
                    .hasMessageContaining("cannot sync log");
        }
    }

    /** What is durable, and what is seen, is a prefix of what was written, over all logs. */
    @Test
    void memTable_isFullWhileWritesWait_nextLogIsSyncedAfterIt() throws Exception {
        StorageOptions hostile = TestOptions.hostile().durability(Durability.FSYNC).build();
        try (SimulatedEngine engine = new SimulatedEngine(hostile)) {
            Outcomes outcomes = new Outcomes();
            List<String> synced = Collections.synchronizedList(new ArrayList<>());
            engine.faults.fail(
                    operation ->
                            SimulatedEngine.isGroupSync(operation)
                                    && !synced.add(operation.name()));
            engine.faults.block(SimulatedEngine::isGroupSync);
            outcomes.put(engine, "a", "v", 1);
            engine.faults.awaitBlocked();
            outcomes.put(engine, "b", "v", 2);

            assertThat(engine.dao().get("b")).isEqualTo("absent");
            assertThat(outcomes.all()).isEmpty();

            engine.faults.release();
            outcomes.await(2);
            assertThat(outcomes.all()).containsExactly("a durable", "b durable");
            assertThat(synced).isSorted().hasSize(2);
            assertThat(engine.dao().all()).containsExactly("a=v@1", "b=v@2");
        }
    }
}
