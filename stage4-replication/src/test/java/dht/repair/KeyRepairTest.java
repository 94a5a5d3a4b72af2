package dht.repair;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.replication.Replica;
import dht.storage.file.LocalDirectory;
import dht.storage.file.WritableMapping;
import dht.storage.memory.MappedMemory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyRepairTest {
    private static final byte[] KEY = "k".getBytes(UTF_8);
    private static final Duration GRACE = Duration.ofMillis(1); // 1000 µs.
    private static final int RECORDED = 2;

    private final RepairCounts counts = new RepairCounts();

    private boolean repair(long nowMillis, List<? extends Replica> replicas)
            throws InterruptedException {
        return repair(nowMillis, replicas, KeyRepair.ANY_VERSION);
    }

    private boolean repair(long nowMillis, List<? extends Replica> replicas, long listedMicros)
            throws InterruptedException {
        return repair(nowMillis, replicas, listedMicros, OptionalInt.of(RECORDED));
    }

    private boolean repair(
            long nowMillis,
            List<? extends Replica> replicas,
            long listedMicros,
            OptionalInt recorded)
            throws InterruptedException {
        return new KeyRepair(
                        new Cluster(replicas, recorded),
                        replicas.size(),
                        GRACE,
                        () -> Instant.ofEpochMilli(nowMillis),
                        counts)
                .repair(KEY, replicas.size(), listedMicros);
    }

    /**
     * The replicas of all keys.
     *
     * @param recorded how many nodes hold a version, as each of them says
     */
    private record Cluster(List<? extends Replica> replicas, OptionalInt recorded)
            implements KeyRepair.Holders {
        @Override
        public List<Replica> of(byte[] key, int from) {
            return new ArrayList<>(replicas);
        }

        @Override
        public OptionalInt recorded(Replica replica, byte[] key, long timestampMicros) {
            return recorded;
        }
    }

    private static List<StubReplica> replicas(String versions) {
        return Arrays.stream(versions.split(" "))
                .map(version -> new StubReplica(version.equals("-") ? "" : version))
                .toList();
    }

    private static String text(List<StubReplica> replicas) {
        return String.join(
                " ",
                replicas.stream()
                        .map(each -> each.version().isEmpty() ? "-" : each.version())
                        .toList());
    }

    @ParameterizedTest
    @CsvSource({
        "a@10 b@20 a@10,  b@20 b@20 b@20, 2",
        "a@30 b@20 c@10,  a@30 a@30 a@30, 2",
        "c@10 b@20 a@30,  a@30 a@30 a@30, 2",
        "a@10 -    -,     a@10 a@10 a@10, 2",
        "-    a@10 a@10,  a@10 a@10 a@10, 1",
        "a@10 @20  a@10,  @20 @20 @20,    2",
        "-    @20  a@10,  @20 @20 @20,    2",
        "a@10 @10  b@10,  @10 @10 @10,    2",
        "a@10 b@10 b@10,  b@10 b@10 b@10, 1",
        "a@10 a@10 a@10,  a@10 a@10 a@10, 0",
        "@10  @10  @10,   @10 @10 @10,    0",
        "-    -    -,     - - -,          0",
    })
    void replicas_ofDifferentVersions_getTheNewestUnderItsStamp(
            String before, String after, int sentCount) throws InterruptedException {
        List<StubReplica> replicas = replicas(before.replaceAll(" +", " "));
        assertThat(repair(0, replicas)).as("all have stored it").isTrue();
        assertThat(text(replicas)).isEqualTo(after);
        assertThat(counts.readRepairedCount()).isEqualTo(sentCount);
        assertThat(replicas).extracting(StubReplica::heldCount).containsOnly(0);
    }

    /** A replica without it has dropped it, and would have to drop it again and again. */
    @Test
    void tombstone_pastItsGrace_goesOnlyWhereItHidesSomething() throws InterruptedException {
        List<StubReplica> replicas = replicas("@1000 - a@900");
        repair(2, replicas);
        assertThat(text(replicas)).isEqualTo("@1000 @1000 @1000");

        replicas = replicas("@1000 - a@900");
        repair(3, replicas);
        assertThat(text(replicas)).isEqualTo("@1000 - @1000");
    }

    /** It may belong to fewer replicas than the version that was listed. */
    @ParameterizedTest
    @CsvSource({
        "b@2000 -     a@1000, 1000, b@2000 - a@1000",
        "@2000  -     a@1000, 1000, @2000 - @2000",
        "@2000  @1000 a@1000, 1000, @2000 @2000 @2000",
        "@2000  -     a@1000, 2000, @2000 @2000 @2000",
        "-      -     -,      1000, - - -",
    })
    void version_thatIsNewerThanTheListedOne_isSentOnlyIfItIsATombstone(
            String before, long listedMicros, String after) throws InterruptedException {
        List<StubReplica> replicas = replicas(before.replaceAll(" +", " "));
        repair(0, replicas, listedMicros);
        assertThat(text(replicas)).isEqualTo(after);
    }

    /** With the number of the value, comparisons would differ until the tombstone is dropped. */
    @Test
    void tombstone_thatIsNewerThanTheListedVersion_isSentWithItsOwnNumber()
            throws InterruptedException {
        List<StubReplica> replicas = replicas("@2000 - a@1000");
        repair(0, replicas, 1000);
        assertThat(replicas.getLast().version()).isEqualTo("@2000");
        assertThat(replicas.getLast().writtenFrom()).isEqualTo(RECORDED);
    }

    @Test
    void tombstone_whoseNumberNoReplicaSays_isNotSent() throws InterruptedException {
        List<StubReplica> replicas = replicas("@2000 - a@1000");
        assertThat(repair(0, replicas, 1000, OptionalInt.empty())).isFalse();
        assertThat(text(replicas)).isEqualTo("@2000 - a@1000");
    }

    @Test
    void tombstone_thatNoReplicaNeeds_isNotAskedFor() throws InterruptedException {
        List<StubReplica> replicas = replicas("@2000 - @2000");
        assertThat(repair(0, replicas, 1000, OptionalInt.empty())).isTrue();
    }

    @Test
    void replica_thatDoesNotAnswer_isLeftOut() throws InterruptedException {
        StubReplica older = new StubReplica("a@10");
        boolean isRepaired = repair(0, List.of(StubReplica.down(), new StubReplica("b@20"), older));
        assertThat(isRepaired).as("nobody knows what the first one has").isFalse();
        assertThat(older.version()).isEqualTo("b@20");
        assertThat(counts.readRepairFailedCount()).isZero();
    }

    /** A mapped file to which nothing was written has no bytes. */
    @Test
    void replica_whoseValueCannotBeRead_isLeftOut(@TempDir Path path) throws Exception {
        try (LocalDirectory directory = LocalDirectory.open(path);
                WritableMapping mapping = directory.createMapped("5.log", 1 << 17)) {
            MappedMemory.register(mapping.memory(), "5.log");
            StubReplica damaged = new StubReplica("c@30").in(mapping.memory());
            StubReplica older = new StubReplica("a@10");
            assertThat(repair(0, List.of(damaged, new StubReplica("b@20"), older))).isFalse();
            assertThat(older.version()).isEqualTo("b@20");
            assertThat(damaged.heldCount()).isZero();
            MappedMemory.forget(mapping.memory());
        }
    }

    @Test
    void replica_thatIsBehind_isSparedAndCounted() throws InterruptedException {
        StubReplica behind = new StubReplica("a@10").behind();
        assertThat(repair(0, List.of(new StubReplica("b@20"), behind))).isFalse();
        assertThat(behind.version()).isEqualTo("a@10");
        assertThat(counts.readRepairDroppedCount()).isEqualTo(1);
    }

    @Test
    void replica_thatDoesNotStoreIt_isCountedAndHoldsUpNoOther() throws InterruptedException {
        StubReplica full = new StubReplica("a@10").full();
        StubReplica older = new StubReplica("a@10");
        assertThat(repair(0, List.of(new StubReplica("b@20"), full, older))).isFalse();
        assertThat(older.version()).isEqualTo("b@20");
        assertThat(counts.readRepairFailedCount()).isEqualTo(1);
        assertThat(counts.readRepairedCount()).isEqualTo(1);
    }
}
