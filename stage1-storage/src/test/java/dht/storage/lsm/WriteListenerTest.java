package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.Durability;
import dht.storage.Eventually;
import dht.storage.StorageException;
import dht.storage.StorageOptions;
import dht.storage.StorageUnavailableException;
import dht.storage.TestOptions;
import dht.storage.log.WriteAheadLog;
import dht.storage.simulation.DiskImage;
import dht.storage.simulation.Loss;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Writes that wait for a sync without a thread: tests who is notified of what, when and how often.
 */
@Timeout(60)
class WriteListenerTest {
    private static final StorageOptions FSYNC =
            StorageOptions.builder().durability(Durability.FSYNC).build();

    /** Every write needs another log. */
    private static final StorageOptions LOG_A_WRITE =
            TestOptions.hostile().durability(Durability.FSYNC).build();

    /** Holds up the next sync, and has a write wait for it. */
    private static void holdUp(SimulatedEngine engine, Outcomes outcomes)
            throws InterruptedException {
        engine.faults.block(SimulatedEngine::isGroupSync);
        outcomes.put(engine, "first", "v", 1);
        engine.faults.awaitBlocked();
    }

    @ParameterizedTest
    @EnumSource(names = {"OS", "NONE"})
    void write_thatNeedsNoSync_notifiesBeforeItReturns(Durability durability) {
        StorageOptions options = StorageOptions.builder().durability(durability).build();
        try (SimulatedEngine engine = new SimulatedEngine(options)) {
            Outcomes outcomes = new Outcomes();
            outcomes.put(engine, "a", "v", 1);

            assertThat(outcomes.all()).containsExactly("a durable");
            assertThat(outcomes.threads()).containsOnly(Thread.currentThread().getName());
        }
    }

    @Test
    void writes_syncUnderWay_areNotifiedOnceInTheOrderOfTheLog() throws Exception {
        try (SimulatedEngine engine = new SimulatedEngine(FSYNC)) {
            Outcomes outcomes = new Outcomes();
            holdUp(engine, outcomes);
            List<String> keys = IntStream.range(0, 200).mapToObj(i -> "key" + i).toList();
            keys.forEach(key -> outcomes.put(engine, key, "v", 2));
            assertThat(outcomes.all()).isEmpty();
            assertThat(engine.stats().unsyncedCount()).isEqualTo(201);
            assertThat(engine.dao().all()).isEmpty();

            engine.faults.count(SimulatedEngine::isGroupSync);
            engine.faults.release();
            outcomes.await(201);
            Eventually.holds(() -> engine.stats().unsyncedCount() == 0, engine::stats);

            List<String> expected = new ArrayList<>(List.of("first durable"));
            keys.forEach(key -> expected.add(key + " durable"));
            assertThat(outcomes.all()).isEqualTo(expected);
            assertThat(outcomes.threads()).containsOnly(GroupCommit.THREAD_NAME);
            assertThat(engine.dao().all()).hasSize(201);
        }
    }

    @ParameterizedTest
    @EnumSource
    void writes_whoseListenersWereCalled_surviveAPowerFailure(Loss loss) throws Exception {
        Outcomes outcomes = new Outcomes();
        SimulatedEngine killed = new SimulatedEngine(LOG_A_WRITE);
        outcomes.put(killed, "a", "v", 1);
        outcomes.put(killed, "b", "v", 2);
        outcomes.await(2);
        assertThat(outcomes.all()).containsExactly("a durable", "b durable");
        killed.faults.block(SimulatedEngine::isGroupSync);
        outcomes.put(killed, "c", "v", 3);
        killed.faults.awaitBlocked();
        outcomes.put(killed, "d", "v", 4);
        DiskImage image = killed.kill().afterPowerFailure(loss, new SplittableRandom(1));
        try (SimulatedEngine engine = SimulatedEngine.start(image, LOG_A_WRITE)) {
            assertThat(engine.dao().all()).startsWith("a=v@1", "b=v@2");
            assertThat(engine.dao().all())
                    .isIn(
                            List.of("a=v@1", "b=v@2"),
                            List.of("a=v@1", "b=v@2", "c=v@3"),
                            List.of("a=v@1", "b=v@2", "c=v@3", "d=v@4"));
        }
    }

    @Test
    void group_overSeveralLogs_eachIsSyncedOnceInTheOrderOfTheLogs() throws Exception {
        StorageOptions manyLogs =
                TestOptions.hostile()
                        .durability(Durability.FSYNC)
                        .memTableCountMax(6)
                        .tableCountMax(10)
                        .build();
        try (SimulatedEngine engine = new SimulatedEngine(manyLogs)) {
            Outcomes outcomes = new Outcomes();
            List<String> events = Collections.synchronizedList(new ArrayList<>());
            outcomes.onOutcome(events::add);
            holdUp(engine, outcomes);
            engine.faults.fail(
                    operation -> SimulatedEngine.isGroupSync(operation) && !events.add("sync"));
            outcomes.put(engine, "b", "v", 2);
            outcomes.put(engine, "c", "v", 3);
            outcomes.put(engine, "d", "v", 4);
            engine.faults.release();
            Eventually.holds(() -> events.contains("d"), () -> events);

            assertThat(events)
                    .containsExactly("sync", "first", "sync", "b", "sync", "c", "sync", "d");
        }
    }

    @Test
    void sync_fails_refusesWritesBeforeAnyListenerIsCalled() throws Exception {
        try (SimulatedEngine engine = new SimulatedEngine(FSYNC)) {
            Outcomes outcomes = new Outcomes();
            List<String> refusals = Collections.synchronizedList(new ArrayList<>());
            outcomes.onOutcome(_ -> refusals.add(refusal(engine)));
            holdUp(engine, outcomes);
            outcomes.put(engine, "second", "v", 2);
            engine.faults.fail(SimulatedEngine::isGroupSync);
            engine.faults.release();
            outcomes.await(2);
            Eventually.holds(() -> refusals.size() == 2, () -> refusals);

            String failed =
                    " failed: cannot sync log: file=00000001.log path=simulated disk: injected: FORCE 00000001.log.new: check the disk, then restart the server";
            assertThat(outcomes.all()).containsExactly("first" + failed, "second" + failed);
            assertThat(refusals).allMatch(reason -> reason.contains("cannot sync log"));
            assertThat(engine.dao().all()).isEmpty();
        }
    }

    /** Does not wait for the write: it is asked by the thread that syncs. */
    private static String refusal(SimulatedEngine engine) {
        try {
            new Outcomes().put(engine, "late", "v", 9);
            return "accepted";
        } catch (StorageUnavailableException e) {
            return e.getMessage();
        }
    }

    @Test
    void sync_ofAFullLogFails_laterLogsAreNeverSynced() throws Exception {
        try (SimulatedEngine engine = new SimulatedEngine(LOG_A_WRITE)) {
            Outcomes outcomes = new Outcomes();
            holdUp(engine, outcomes);
            outcomes.put(engine, "second", "v", 2);
            engine.faults.failOnce(SimulatedEngine::isGroupSync);
            engine.faults.count(SimulatedEngine::isGroupSync);
            engine.faults.release();
            outcomes.await(2);

            assertThat(outcomes.all()).allMatch(outcome -> outcome.contains(" failed: "));
            assertThat(engine.faults.count()).isZero();
            assertThat(engine.dao().get("second")).isEqualTo("absent");
        }
    }

    @Test
    void close_whileWritesWait_notifiesThemFirst() throws Exception {
        SimulatedEngine engine = new SimulatedEngine(FSYNC);
        Outcomes outcomes = new Outcomes();
        holdUp(engine, outcomes);
        outcomes.put(engine, "second", "v", 2);
        Thread closer = Thread.ofPlatform().start(() -> engine.dao().dao().close());
        Eventually.holds(() -> closer.getState() == Thread.State.WAITING, () -> closer.getState());
        assertThat(outcomes.all()).isEmpty();

        engine.faults.release();
        closer.join();
        assertThat(outcomes.all()).containsExactly("first durable", "second durable");
        engine.close();
    }

    @Test
    void writes_beyondTheLimit_areRefusedWithoutATrace() throws Exception {
        StorageOptions twoWrites =
                TestOptions.small().durability(Durability.FSYNC).unsyncedWritesMax(2).build();
        try (SimulatedEngine engine = new SimulatedEngine(twoWrites)) {
            Outcomes outcomes = new Outcomes();
            holdUp(engine, outcomes);
            outcomes.put(engine, "second", "v", 2);
            assertThatThrownBy(() -> outcomes.put(engine, "third", "v", 3))
                    .isInstanceOf(StorageUnavailableException.class)
                    .hasMessageContaining("too many writes wait for an fsync: writes=2");
            assertThat(engine.stats().refusalCount()).isEqualTo(1);

            engine.faults.release();
            outcomes.await(2);
            Eventually.holds(() -> engine.stats().unsyncedCount() == 0, engine::stats);
            engine.dao().put("fourth", "v", 4);
            assertThat(engine.dao().all()).containsExactly("first=v@1", "fourth=v@4", "second=v@2");
        }
    }

    @Test
    void flush_afterAFailedSync_isNotCountedAsARefusedWrite() {
        try (SimulatedEngine engine = new SimulatedEngine(FSYNC)) {
            engine.faults.failOnce(SimulatedEngine::isGroupSync);
            assertThatThrownBy(() -> engine.dao().put("a", "v", 1))
                    .isInstanceOf(StorageException.class);
            assertThatThrownBy(engine.dao()::flush).isInstanceOf(StorageUnavailableException.class);
            assertThat(engine.stats().refusalCount()).isZero();

            assertThatThrownBy(() -> engine.dao().put("b", "v", 2))
                    .isInstanceOf(StorageUnavailableException.class);
            assertThat(engine.stats().refusalCount()).isEqualTo(1);
        }
    }

    @Test
    void writes_beyondTheBytes_areRefusedUnlessOneWaitsAlone() throws Exception {
        StorageOptions fewBytes =
                TestOptions.small().durability(Durability.FSYNC).unsyncedBytesMax(64).build();
        try (SimulatedEngine engine = new SimulatedEngine(fewBytes)) {
            Outcomes outcomes = new Outcomes();
            holdUp(engine, outcomes);
            assertThatThrownBy(() -> outcomes.put(engine, "b", "long".repeat(20), 2))
                    .isInstanceOf(StorageUnavailableException.class)
                    .hasMessageContaining("too many writes wait for an fsync: writes=1 bytes=");

            engine.faults.release();
            outcomes.await(1);
            Eventually.holds(() -> engine.stats().unsyncedCount() == 0, engine::stats);
            engine.dao().put("b", "long".repeat(20), 2);
        }
    }

    /**
     * As many writes wait as are allowed. A client may write again as soon as it has its answer.
     */
    @Test
    void listeners_thatWriteAgainAtTheLimit_areNotRefused() throws Exception {
        StorageOptions twoWrites =
                TestOptions.small()
                        .durability(Durability.FSYNC)
                        .unsyncedWritesMax(2)
                        .unsyncedBytesMax(2 * WriteAheadLog.recordBytes("first".length(), 1))
                        .build();
        try (SimulatedEngine engine = new SimulatedEngine(twoWrites)) {
            Outcomes outcomes = new Outcomes();
            Map<String, String> again = Map.of("first", "third", "other", "fifth");
            outcomes.onOutcome(
                    key -> {
                        if (again.containsKey(key)) {
                            outcomes.put(engine, again.get(key), "v", 3);
                        }
                    });
            holdUp(engine, outcomes);
            outcomes.put(engine, "other", "v", 2);
            engine.faults.release();
            Eventually.holds(
                    () -> outcomes.all().size() == 4 || engine.stats().refusalCount() > 0,
                    engine::stats);

            assertThat(engine.stats().refusalCount()).isZero();
            assertThat(outcomes.all())
                    .containsExactly(
                            "first durable", "other durable", "third durable", "fifth durable");
        }
    }

    /** Such as an OutOfMemoryError in the middle of answering. */
    @Test
    void listener_throws_othersAreNotifiedAndTheStorageGoesOn() throws Exception {
        try (SimulatedEngine engine = new SimulatedEngine(FSYNC)) {
            Outcomes outcomes = new Outcomes();
            outcomes.onOutcome(
                    key -> {
                        if (key.equals("bad")) {
                            throw new OutOfMemoryError("injected");
                        }
                    });
            holdUp(engine, outcomes);
            outcomes.put(engine, "bad", "v", 2);
            outcomes.put(engine, "good", "v", 3);
            engine.faults.release();
            outcomes.await(3);
            engine.dao().put("later", "v", 4);

            assertThat(outcomes.all())
                    .containsExactly("first durable", "bad durable", "good durable");
            assertThat(engine.dao().all()).hasSize(4);
        }
    }

    @Test
    void writer_interruptedWhileItWaits_returnsWhenItsWriteIsDurable() throws Exception {
        try (SimulatedEngine engine = new SimulatedEngine(FSYNC)) {
            engine.faults.block(SimulatedEngine::isGroupSync);
            List<Boolean> interrupted = Collections.synchronizedList(new ArrayList<>());
            Thread writer =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        engine.dao().put("a", "v", 1);
                                        interrupted.add(Thread.interrupted());
                                    });
            engine.faults.awaitBlocked();
            writer.interrupt();
            assertThat(interrupted).isEmpty();
            engine.faults.release();
            writer.join();

            assertThat(interrupted).containsExactly(true);
            assertThat(engine.dao().all()).containsExactly("a=v@1");
        }
    }
}
