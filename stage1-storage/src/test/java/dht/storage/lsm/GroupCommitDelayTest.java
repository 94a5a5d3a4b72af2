package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.Eventually;
import dht.storage.TextDao;
import dht.storage.file.StorageDirectory;
import dht.storage.file.WritableMapping;
import dht.storage.log.LogFiles;
import dht.storage.log.WriteAheadLog;
import dht.storage.memtable.Backing;
import dht.storage.memtable.MemTable;
import dht.storage.simulation.Faults;
import dht.storage.simulation.HookedDirectory;
import dht.storage.simulation.Operation;
import dht.storage.simulation.SimulatedDisk;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A sync is delayed for the writers that were just notified, but not for long. */
@Timeout(30)
class GroupCommitDelayTest {
    private static final long NUMBER = 1;
    private static final int LOG_BYTES = 1 << 16;
    private static final LongUnaryOperator LONG_DELAY = _ -> TimeUnit.HOURS.toNanos(1);
    private static final LongUnaryOperator SHORT_DELAY = _ -> TimeUnit.MILLISECONDS.toNanos(1);

    private final long startedAtNanos = System.nanoTime();
    private final SimulatedDisk disk = new SimulatedDisk();
    private final Faults faults = new Faults();
    private final Arena arena = Arena.ofShared();
    private final Outcomes outcomes = new Outcomes();
    private final StorageDirectory directory = new HookedDirectory(disk.directory(), faults);
    private WritableMapping mapping;
    private MemTable table;
    private volatile Thread syncing;

    private static final class NoBacking implements Backing {
        @Override
        public void recycle() {}

        @Override
        public void detach() {}
    }

    @BeforeEach
    void open() throws IOException {
        mapping = directory.createMapped(LogFiles.name(NUMBER), LOG_BYTES);
        WriteAheadLog log = new WriteAheadLog(mapping, NUMBER, 0, new UUID(1, 2), LOG_BYTES);
        log.begin(WriteAheadLog.START);
        table = MemTable.create(log, arena.allocate(1 << 14, 8), false, LOG_BYTES, new NoBacking());
    }

    @AfterEach
    void close() {
        mapping.close();
        arena.close();
        disk.close();
    }

    private GroupCommit start(LongUnaryOperator delayNanos) {
        GroupCommit commit = new GroupCommit(directory, 1000, 1 << 20, delayNanos, _ -> {});
        commit.start();
        return commit;
    }

    private void write(GroupCommit commit, String key) throws IOException {
        byte[] bytes = TextDao.bytes(key);
        long logBytes = WriteAheadLog.recordBytes(bytes.length, 1);
        commit.reserve(logBytes);
        table.put(bytes, MemorySegment.ofArray(new byte[1]), 1);
        commit.add(table, logBytes, outcomes.listener(key));
    }

    /** After this, "a" is durable, "b" waits, and two writes are expected. */
    private void writeTwoDuringASync(GroupCommit commit) throws Exception {
        faults.block(this::isGroupSync);
        write(commit, "a");
        faults.awaitBlocked();
        write(commit, "b");
        faults.release();
        outcomes.await(1);
    }

    private boolean isGroupSync(Operation operation) {
        boolean isGroupSync = SimulatedEngine.isGroupSync(operation);
        if (isGroupSync) {
            syncing = Thread.currentThread();
        }
        return isGroupSync;
    }

    /** The syncing thread waits with a time limit only while a sync is delayed. */
    private void awaitDelay() {
        Eventually.holds(
                () -> syncing.getState() == Thread.State.TIMED_WAITING, () -> syncing.getState());
    }

    @Test
    void sync_writerWasJustNotified_isDelayedUntilItWritesAgain() throws Exception {
        try (GroupCommit commit = start(LONG_DELAY)) {
            writeTwoDuringASync(commit);
            awaitDelay();
            assertThat(outcomes.all()).containsExactly("a durable");

            write(commit, "a again");
            outcomes.await(3);
            assertThat(outcomes.all()).containsExactly("a durable", "b durable", "a again durable");
            assertThat(commit.syncCount()).isEqualTo(2);
        }
    }

    @Test
    void sync_notifiedWriterStaysAway_isDelayedOnlyForTheDelay() throws Exception {
        try (GroupCommit commit = start(SHORT_DELAY)) {
            writeTwoDuringASync(commit);
            outcomes.await(2);
            assertThat(outcomes.all()).containsExactly("a durable", "b durable");
        }
    }

    /** Else a single client would wait for a second one that does not exist. */
    @Test
    void sync_allWhoWereNotifiedWaitAgain_isNotDelayed() throws Exception {
        try (GroupCommit commit = start(LONG_DELAY)) {
            for (int i = 1; i <= 3; i++) {
                write(commit, "write " + i);
                outcomes.await(i);
            }
            assertThat(outcomes.all()).allMatch(outcome -> outcome.endsWith(" durable"));
            assertThat(commit.syncCount()).isEqualTo(3);
        }
    }

    @Test
    void close_syncIsDelayed_endsTheDelay() throws Exception {
        GroupCommit commit = start(LONG_DELAY);
        writeTwoDuringASync(commit);
        awaitDelay();
        commit.close();

        assertThat(outcomes.all()).containsExactly("a durable", "b durable");
    }

    @Test
    void delay_isDerivedFromTheDurationOfTheLastSync() throws Exception {
        AtomicLong lastSyncNanos = new AtomicLong();
        try (GroupCommit commit =
                start(
                        nanos -> {
                            lastSyncNanos.compareAndSet(0, nanos);
                            return 0;
                        })) {
            faults.block(this::isGroupSync);
            write(commit, "a");
            faults.awaitBlocked();
            long beganAtNanos = System.nanoTime();
            LockSupport.parkNanos(1_000_000);
            long nanos = System.nanoTime() - beganAtNanos;
            faults.release();
            outcomes.await(1);

            assertThat(lastSyncNanos.get()).isBetween(nanos, System.nanoTime() - startedAtNanos);
        }
    }
}
