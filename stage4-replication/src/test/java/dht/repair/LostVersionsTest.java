package dht.repair;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.http.EntityRequest;
import dht.http.OwnedBytes;
import dht.replication.HybridLogicalClock;
import dht.replication.LocalReplica;
import dht.replication.StampAheadException;
import dht.storage.CorruptionException;
import dht.storage.LostRange;
import dht.storage.ReadOutcome;
import dht.storage.StorageException;
import dht.storage.StorageOptions;
import dht.storage.WriteListener;
import dht.storage.file.LocalDirectory;
import dht.storage.lsm.LsmDao;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A tombstone hides a value of an older table, and its block is damaged. The other nodes have
 * dropped both after the grace period, so they send nothing.
 */
class LostVersionsTest {
    private static final Duration GRACE = Duration.ofHours(1);
    private static final long NOW_MICROS =
            TimeUnit.MILLISECONDS.toMicros(InstantSource.system().millis());
    private static final byte[] KEY = "key".getBytes(UTF_8);
    private static final int KEPT_KEYS = 10;

    private static final WriteListener IGNORED =
            new WriteListener() {
                @Override
                public void durable() {}

                @Override
                public void failed(StorageException failure) {
                    throw failure;
                }
            };

    private final HybridLogicalClock clock =
            new HybridLogicalClock(InstantSource.system(), Duration.ofDays(1), 0);

    @TempDir private Path directory;
    private LsmDao dao;

    private void open() throws IOException {
        StorageOptions options =
                StorageOptions.builder()
                        .blockBytes(1) // Each entry has a block of its own.
                        .build();
        dao = LsmDao.open(LocalDirectory.open(directory), options);
    }

    @AfterEach
    void close() {
        dao.close();
    }

    private static byte[] kept(int number) {
        return ("other" + number).getBytes(UTF_8);
    }

    private void put(byte[] key, long timestampMicros) {
        dao.upsert(key, MemorySegment.ofArray("old".getBytes(UTF_8)), timestampMicros);
    }

    /** Stores a value and its tombstone in two tables, and damages the newer one. */
    private void loseTombstone(long timestampMicros) throws IOException {
        flushOldest();
        dao.delete(KEY, timestampMicros);
        dao.flush();
        dao.close();
        flipFirstByteOfNewest();
        open();
        assertThatThrownBy(() -> dao.get(KEY)).isInstanceOf(CorruptionException.class);
    }

    private void flushOldest() {
        for (int i = 0; i < KEPT_KEYS; i++) { // With fewer keys, the tables would be compacted.
            put(kept(i), 11);
        }
        dao.flush();
    }

    /** Damages the block of the first key, or mends it again. */
    private void flipFirstByteOfNewest() throws IOException {
        Path newest;
        try (Stream<Path> files = Files.list(directory)) {
            newest =
                    files.filter(file -> file.toString().endsWith(".sst"))
                            .max(Path::compareTo)
                            .orElseThrow();
        }
        try (RandomAccessFile file = new RandomAccessFile(newest.toFile(), "rw")) {
            int first = file.read();
            file.seek(0);
            file.write(first ^ 1);
        }
    }

    private LocalReplica local() {
        return new LocalReplica(dao, clock, "node", () -> {});
    }

    /** Mends the damage, as if all other nodes had been asked and had sent nothing. */
    private void mend() {
        mend(true);
    }

    private void mend(boolean isFromAll) {
        LostVersions lost = new LostVersions(dao, local(), dao.damagedTables(), GRACE);
        for (List<LostRange> ranges : lost.ranges()) {
            lost.new Received(ranges).finish(isFromAll);
        }
        assertThat(lost.ranges()).isEmpty();
    }

    @Test
    void valueUnderALostTombstonePastItsGrace_staysDeleted() throws IOException {
        open();
        put(KEY, 10);
        loseTombstone(20);

        mend();
        assertThat(dao.get(KEY)).isInstanceOf(ReadOutcome.Deleted.class);
        for (int i = 0; i < KEPT_KEYS; i++) {
            assertThat(dao.get(kept(i))).isInstanceOf(ReadOutcome.Found.class);
        }
    }

    /** As after a fault of a disk that passes: the search finds the value, whatever is marked. */
    @Test
    void valueThatAnotherNodeSends_isKept_evenIfTheBlockCanBeReadAgain() throws Exception {
        open();
        put(KEY, 10);
        flushOldest();
        dao.delete(KEY, 5); // Older than the value, which wins.
        put("zero".getBytes(UTF_8), 20);
        dao.flush();
        dao.close();
        flipFirstByteOfNewest();
        open();
        assertThatThrownBy(() -> dao.get(KEY)).isInstanceOf(CorruptionException.class);
        LostVersions lost = new LostVersions(dao, local(), dao.damagedTables(), GRACE);
        LostVersions.Received received = lost.new Received(lost.ranges().getFirst());

        flipFirstByteOfNewest();
        received.received(KEY);
        boolean isKnown = received.includes(new EntityRequest.Delete(KEY, null, 0), 10);
        received.finish(true);

        assertThat(isKnown).as("it is stored again").isFalse();
        assertThat(dao.get(KEY)).isInstanceOf(ReadOutcome.Found.class);
    }

    /** It has a copy in addition to those that the record on the other nodes counts. */
    @Test
    void valueThatOnlyOtherNodesShouldHave_staysIfTheyStillHaveIt() throws IOException {
        open();
        put(KEY, 10);
        loseTombstone(5); // Older than the value.
        LostVersions lost = new LostVersions(dao, local(), dao.damagedTables(), GRACE);
        LostVersions.Received received = lost.new Received(lost.ranges().getFirst());

        received.received(KEY); // Two other nodes hold it, so this node does not store it again.
        received.finish(true);

        assertThat(dao.get(KEY)).isInstanceOf(ReadOutcome.Found.class);
    }

    /** A later write must not be acknowledged under a stamp that is less than a stored one. */
    @Test
    void stampOfALostVersion_movesTheClock_andIsRefusedTooFarAhead() throws Exception {
        open();
        put(KEY, 10);
        loseTombstone(20);
        LostVersions lost = new LostVersions(dao, local(), dao.damagedTables(), GRACE);
        LostVersions.Received received = lost.new Received(lost.ranges().getFirst());
        EntityRequest header = new EntityRequest.Delete(KEY, null, 0);
        long soonMicros = NOW_MICROS + TimeUnit.HOURS.toMicros(1);

        assertThat(received.includes(header, soonMicros)).isFalse();
        assertThat(clock.lastMicros()).isGreaterThanOrEqualTo(soonMicros);
        assertThatThrownBy(() -> received.includes(header, NOW_MICROS + TimeUnit.DAYS.toMicros(2)))
                .isInstanceOf(StampAheadException.class);
    }

    /**
     * Within the grace period, the other nodes still have the tombstone, and would have sent it.
     */
    @Test
    void valueWithinTheGrace_thatNobodyKnowsToBeDeleted_stays() throws IOException {
        open();
        put(KEY, NOW_MICROS - 2);
        loseTombstone(NOW_MICROS - 1);

        mend();
        assertThat(dao.get(KEY)).isInstanceOf(ReadOutcome.Found.class);
    }

    /** Other nodes never had it, so they cannot have dropped its tombstone. */
    @Test
    void valueOnlyOfThisNode_stays() throws IOException {
        open();
        store(1);
        loseTombstone(20);

        mend();
        assertThat(dao.get(KEY)).isInstanceOf(ReadOutcome.Found.class);
    }

    /**
     * @param from how many nodes should have the value; 0: all
     */
    private void store(int from) {
        byte[] value = "old".getBytes(UTF_8);
        local().store(
                        new EntityRequest.Put(KEY, OwnedBytes.takeOver(value), null, from),
                        10,
                        IGNORED);
    }

    /** A node that was left out has lost its data, and may be the only other one with a copy. */
    @ParameterizedTest
    @CsvSource({"2, true, true", "2, false, false", "0, true, true", "0, false, true"})
    void valueOfSomeNodes_isKeptIfOneOfThemMayHaveBeenLeftOut(
            int from, boolean isFromAll, boolean isDeleted) throws IOException {
        open();
        store(from);
        loseTombstone(20);

        mend(isFromAll);
        assertThat(dao.get(KEY))
                .isInstanceOf(isDeleted ? ReadOutcome.Deleted.class : ReadOutcome.Found.class);
    }
}
