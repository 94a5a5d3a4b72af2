package dht.repair;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dht.repair.VersionTree.Known;
import dht.repair.VersionTree.Page;
import dht.repair.VersionTree.Part;
import dht.repair.VersionTree.Verdict;
import dht.replication.PlacementRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two nodes with different versions are compared, and have the same versions afterwards. */
class ComparisonTest {
    private static final int MANY = 20_000;

    private ComparedPair pair = new ComparedPair();

    private static byte[] key(int i) {
        return "key-%06d".formatted(i).getBytes(UTF_8);
    }

    private static byte[] value(String text) {
        return text.getBytes(UTF_8);
    }

    /** A version as text: its value, or nothing for a tombstone, and its stamp. */
    private static String text(MapDao dao, byte[] key) {
        MapDao.Stored stored = dao.stored(key);
        if (stored == null) {
            return "-";
        }
        String value = stored.value() == null ? "" : new String(stored.value(), UTF_8);
        return value + "@" + stored.timestampMicros();
    }

    private void fillBoth(int count) {
        for (int i = 0; i < count; i++) {
            pair.storeOnBoth(key(i), value("value" + i), 1 + i, 0);
        }
    }

    private void expectSame(byte[] key, String version) {
        assertThat(text(pair.first, key)).isEqualTo(version);
        assertThat(text(pair.second, key)).isEqualTo(version);
    }

    @Test
    void write_thatOneNodeMissed_arrivesUnderItsStamp() throws Exception {
        pair.store(pair.first, key(1), value("a"), 10, 0);
        pair.store(pair.second, key(2), value("b"), 20, 0);
        assertThat(pair.compare()).isEqualTo(2);
        expectSame(key(1), "a@10");
        expectSame(key(2), "b@20");
    }

    @Test
    void deletion_thatOneNodeMissed_arrivesUnderItsStamp() throws Exception {
        pair.storeOnBoth(key(1), value("a"), 10, 0);
        pair.storeOnBoth(key(2), value("b"), 10, 0);
        pair.store(pair.first, key(1), null, 20, 0);
        pair.store(pair.second, key(2), null, 20, 0);
        assertThat(pair.compare()).isEqualTo(2);
        expectSame(key(1), "@20");
        expectSame(key(2), "@20");
    }

    @Test
    void versionsOfOneStamp_afterComparison_areTheOneThatWins() throws Exception {
        pair.store(pair.first, key(1), value("a"), 10, 0);
        pair.store(pair.second, key(1), value("b"), 10, 0);
        pair.store(pair.first, key(2), value("a"), 10, 0);
        pair.store(pair.second, key(2), null, 10, 0);
        pair.compare();
        expectSame(key(1), "b@10");
        expectSame(key(2), "@10");
    }

    @Test
    void versionThatTheNodesDoNotShare_staysWhereItIs() throws Exception {
        int shared = 0;
        for (int i = 0; i < 100; i++) {
            pair.store(pair.first, key(i), value("a"), 10 + i, 2);
            shared += pair.sharing.includes(key(i), 2) ? 1 : 0;
        }
        assertThat(shared).isBetween(1, 99);
        assertThat(pair.compare()).isEqualTo(shared);
        for (int i = 0; i < 100; i++) {
            boolean isShared = pair.sharing.includes(key(i), 2);
            assertThat(pair.second.stored(key(i)) != null).isEqualTo(isShared);
            assertThat(pair.from(pair.second, key(i), 10 + i)).isEqualTo(isShared ? 2 : 0);
        }
    }

    /** Otherwise the value would be the newest version when the tombstone is dropped. */
    @Test
    void tombstoneThatTheNodesDoNotShare_goesWhereAnOlderValueIs() throws Exception {
        int unshared = 0;
        for (int i = 0; i < 100; i++) {
            pair.storeOnBoth(key(i), value("a"), 10, 0);
            pair.store(pair.first, key(i), null, 20, 2);
            unshared += pair.sharing.includes(key(i), 2) ? 0 : 1;
        }
        assertThat(unshared).isBetween(1, 99);
        assertThat(pair.compare()).isEqualTo(100);
        for (int i = 0; i < 100; i++) {
            expectSame(key(i), "@20");
            assertThat(pair.from(pair.second, key(i), 20)).isEqualTo(2);
        }
        pair.messageCount = 0;
        assertThat(pair.compare()).isZero();
        assertThat(pair.messageCount).as("one question and its answer").isEqualTo(2);
    }

    @Test
    void recordOfAnOlderVersion_isDeleted() throws Exception {
        pair.store(pair.first, key(1), value("a"), 10, 2);
        pair.store(pair.first, key(1), value("b"), 20, 0);
        pair.compare();
        expectSame(key(1), "b@20");
        assertThat(pair.first.stored(PlacementRecord.key(key(1))).value()).isNull();
    }

    /** A compaction has dropped the entities, which were deleted long ago. */
    @Test
    void recordsWithoutAnEntity_areDeletedPastTheGrace() throws Exception {
        pair = new ComparedPair(Duration.ofMillis(1), 3);
        for (int i = 0; i < 3; i++) {
            pair.store(pair.first, key(i), null, 1000, 2);
            pair.first.remove(key(i));
        }
        pair.store(pair.first, key(1), value("a"), 2500, 0); // Between two of them.
        pair.store(pair.first, key(5), null, 2500, 2);
        pair.first.remove(key(5)); // Its entity may come: it is stored after the record.
        pair.store(pair.first, key(6), value("a"), 1000, 2); // Old, but there.

        pair.compare();

        for (int key : List.of(0, 1, 2)) {
            assertThat(pair.first.stored(PlacementRecord.key(key(key))).value()).isNull();
        }
        for (int key : List.of(5, 6)) {
            assertThat(pair.first.stored(PlacementRecord.key(key(key))).value()).isNotNull();
        }
    }

    /** Replicas delete old tombstones, each at another time. */
    @Test
    void tombstonePastItsGrace_goesOnlyWhereItHidesSomething() throws Exception {
        pair = new ComparedPair(Duration.ofMillis(1), 3);
        pair.store(pair.first, key(1), null, 1000, 0);
        pair.store(pair.first, key(2), null, 1000, 0);
        pair.store(pair.second, key(2), value("a"), 900, 0);
        assertThat(pair.compare()).isEqualTo(1);
        assertThat(pair.second.stored(key(1))).isNull();
        expectSame(key(2), "@1000");
    }

    /** Otherwise each comparison would look at them again. */
    @Test
    void tombstonePastItsGrace_makesNoDifference() throws Exception {
        pair = new ComparedPair(Duration.ofMillis(1), 3);
        pair.store(pair.first, key(1), null, 1000, 0);
        pair.store(pair.second, key(2), null, 1000, 0);
        assertThat(pair.compare()).isZero();
        assertThat(pair.messageCount).as("one question and its answer").isEqualTo(2);
    }

    @Test
    void manyEqualVersions_costFewBytesAndNoRepair() throws Exception {
        fillBoth(MANY);
        assertThat(pair.compare()).isZero();
        assertThat(pair.counts.bytes.sum()).isLessThan(MANY / 15);
        assertThat(pair.messageCount).as("two questions and their answers").isEqualTo(4);
    }

    @Test
    void oneDifferentVersionAmongMany_isFoundWithFewBytes() throws Exception {
        fillBoth(MANY);
        pair.store(pair.second, key(MANY / 3), value("newer"), MANY + 1, 0);
        assertThat(pair.compare()).isEqualTo(1);
        expectSame(key(MANY / 3), "newer@" + (MANY + 1));
        assertThat(pair.counts.bytes.sum()).isLessThan(8 << 10);
        assertThat(pair.messageCount).as("four questions and their answers").isEqualTo(8);
    }

    /**
     * A node with many versions would read for a long time to find out what is clear at once.
     *
     * @param from 0 for versions that the nodes share, 2 for versions that they do not share
     */
    @ParameterizedTest
    @CsvSource({"0, 4100", "2, 8200"}) // A version that is not shared has a record.
    void verdict_onARangeWithManyMoreVersions_readsOnlyTheFirstOnes(int from, int stepsMax) {
        for (int i = 0; i < MANY; i++) {
            if (from == 0 || !pair.sharing.includes(key(i), from)) {
                pair.store(pair.second, key(i), value("v"), 1 + i, from);
            }
        }
        assertThat(pair.second.size()).isGreaterThan(2 * stepsMax);
        Verdict verdict = pair.verdict(new Part(KeyRange.ALL, new Digest()));
        assertThat(verdict).isEqualTo(Verdict.DIFFERENT);
        assertThat(pair.second.cursorStepCount()).isLessThan(stepsMax);
        assertThat(pair.second.openCursorCount()).as("open cursors").isZero();
    }

    /** In the order of the storage, the byte 0x7f comes before all bytes of other scripts. */
    @Test
    void differences_ofKeysInOtherScripts_areFoundInTheOrderOfTheStorage() {
        Known first = new Known(new byte[] {0x7f}, 0, 10, 1);
        Known second = new Known("я".getBytes(UTF_8), 0, 10, 1);
        assertThat(VersionTree.differences(List.of(first, second), List.of(second)))
                .containsExactly(first);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void emptyNode_getsAllVersions_inMessagesOfBoundedSize(boolean isFirst) throws Exception {
        for (int i = 0; i < MANY; i++) {
            pair.store(isFirst ? pair.second : pair.first, key(i), value("v"), 1 + i, 0);
        }
        assertThat(pair.compare()).isEqualTo(MANY);
        assertThat(pair.messageCount).isLessThan(100);
        assertThat(pair.first.size()).isEqualTo(MANY);
        assertThat(pair.second.size()).isEqualTo(MANY);
        assertThat(pair.largestMessage).isLessThan(192 << 10);
        assertThat(pair.compare()).isZero();
    }

    /** Otherwise the comparison would ask for the same range again and again. */
    @Test
    void pageThatEndsWhereItBegins_breaksTheComparisonOff() {
        pair.store(pair.second, key(1), value("a"), 10, 0);
        AtomicInteger asked = new AtomicInteger();
        pair.pages =
                page -> {
                    assertThat(asked.incrementAndGet()).as("pages asked for").isLessThan(100);
                    return new Page(page.versions(), key(0));
                };
        assertThatIOException().isThrownBy(pair::compare).withMessageContaining("another range");
    }

    @Test
    void keysThatCannotBeRepaired_areCountedAndHoldUpNoOther() throws Exception {
        for (int i = 0; i < 10; i++) {
            pair.store(pair.first, key(i), value("a"), 10, 0);
        }
        List<String> asked = new ArrayList<>();
        long unrepairedCount =
                pair.compareSome(
                        version -> {
                            asked.add(new String(version.key(), UTF_8));
                            return asked.size() > 3;
                        });
        assertThat(asked).hasSize(10).doesNotHaveDuplicates();
        assertThat(unrepairedCount).isEqualTo(3);
    }

    @Test
    void nodeThatIsBehind_isSparedUntilItHasCaughtUp() throws Exception {
        pair.store(pair.first, key(1), value("a"), 10, 0);
        AtomicInteger looks = new AtomicInteger();
        pair.behind = () -> looks.incrementAndGet() < 3;
        pair.compareSome(
                _ -> {
                    assertThat(looks).as("looks before the repair").hasValue(3);
                    return true;
                });
        assertThat(looks).hasValue(3);
    }

    /** Compares with what an oracle says about each key. */
    @Test
    void randomVersions_afterComparison_areTheNewestOnBothNodes() throws Exception {
        for (int i = 0; i < 60; i++) {
            long seed = new SplittableRandom().nextLong();
            compareRandomVersions(seed);
        }
    }

    private void compareRandomVersions(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        pair = new ComparedPair();
        int keyCount = 1 << random.nextInt(13);
        int steps = random.nextInt(2 * keyCount);
        for (int step = 1; step <= steps; step++) {
            storeSomething(random, key(random.nextInt(keyCount)), step);
        }
        List<String> expected = expected(keyCount);
        pair.compare();
        for (int i = 0; i < keyCount; i++) {
            String found = text(pair.first, key(i)) + " " + text(pair.second, key(i));
            assertThat(found).as("seed=%d key=%d", seed, i).isEqualTo(expected.get(i));
        }
        assertThat(pair.compare()).as("seed=%d: once more", seed).isZero();
    }

    private void storeSomething(SplittableRandom random, byte[] key, long stamp) {
        byte[] value = random.nextInt(4) == 0 ? null : value("v" + random.nextInt(3));
        int from = random.nextInt(4) == 0 ? 2 : 0;
        int where = random.nextInt(10);
        if (where != 0) {
            pair.store(pair.first, key, value, stamp, from);
        }
        if (where != 1) {
            pair.store(pair.second, key, value, stamp, from);
        }
    }

    private List<String> expected(int keyCount) {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < keyCount; i++) {
            byte[] key = key(i);
            MapDao.Stored first = pair.first.stored(key);
            MapDao.Stored second = pair.second.stored(key);
            boolean isFirst = second == null || (first != null && first.winsOver(second));
            MapDao dao = isFirst ? pair.first : pair.second;
            MapDao otherDao = isFirst ? pair.second : pair.first;
            MapDao.Stored newest = isFirst ? first : second;
            MapDao.Stored other = isFirst ? second : first;
            boolean isShared =
                    newest != null
                            && pair.sharing.includes(
                                    key, pair.from(dao, key, newest.timestampMicros()));
            boolean isDeletion =
                    newest != null
                            && newest.value() == null
                            && other != null
                            && pair.sharing.includes(
                                    key, pair.from(otherDao, key, other.timestampMicros()));
            expected.add(
                    isShared || isDeletion
                            ? text(dao, key) + " " + text(dao, key)
                            : text(pair.first, key) + " " + text(pair.second, key));
        }
        return expected;
    }
}
