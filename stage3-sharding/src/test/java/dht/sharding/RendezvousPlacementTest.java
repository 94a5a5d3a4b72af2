package dht.sharding;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Compares the placement with its definition: the scores of all nodes, sorted. */
class RendezvousPlacementTest {
    private static final int NODES_MAX = 6;
    private static final int KEYS = 500;

    private static List<String> names(int count) {
        return IntStream.range(0, count).mapToObj(i -> "http://node-" + i + ":8080").toList();
    }

    private static byte[] key(int number) {
        return ("key-" + number).getBytes(UTF_8);
    }

    /** All nodes, the one with the greatest score first. */
    private static List<Integer> byScore(List<String> names, byte[] key) {
        long keyHash = PlacementHash.ofKey(key);
        return IntStream.range(0, names.size())
                .boxed()
                .sorted(
                        Comparator.comparingLong(
                                        (Integer node) ->
                                                PlacementHash.combine(
                                                        PlacementHash.ofName(names.get(node)),
                                                        keyHash))
                                .reversed())
                .toList();
    }

    @Test
    void owner_ofAnyKey_hasTheGreatestScore() {
        for (int count = 1; count <= NODES_MAX; count++) {
            List<String> names = names(count);
            Placement placement = new RendezvousPlacement(names);
            for (int i = 0; i < KEYS; i++) {
                assertThat(placement.owner(key(i)))
                        .as("nodes=%d key=key-%d", count, i)
                        .isEqualTo(byScore(names, key(i)).getFirst());
            }
        }
    }

    @Test
    void preferenceList_ofAnyLength_isTheNodesInTheOrderOfTheirScores() {
        for (int count = 1; count <= NODES_MAX; count++) {
            List<String> names = names(count);
            Placement placement = new RendezvousPlacement(names);
            for (int i = 0; i < KEYS; i++) {
                List<Integer> all = byScore(names, key(i));
                for (int length = 1; length <= count; length++) {
                    assertThat(placement.preferenceList(key(i), length))
                            .as("nodes=%d key=key-%d length=%d", count, i, length)
                            .containsExactly(
                                    all.subList(0, length).stream().mapToInt(n -> n).toArray());
                }
            }
        }
    }

    @Test
    void preferenceList_countOutOfBounds_isIllegal() {
        Placement placement = new RendezvousPlacement(names(3));
        for (int count : new int[] {-1, 0, 4}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> placement.preferenceList(key(1), count))
                    .withMessage("count=%d nodes=3", count);
        }
    }

    /** It is called for each request. */
    @Test
    void owner_afterWarmUp_allocatesNothing() {
        Placement placement = new RendezvousPlacement(names(NODES_MAX));
        byte[] key = key(1);
        int lookups = 10_000;
        int sum = sumOfOwners(placement, key, lookups);
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        sum -= sumOfOwners(placement, key, lookups);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        assertThat(allocated).as("bytes, for %d lookups", lookups).isLessThan(lookups);
        assertThat(sum).isZero();
    }

    private static int sumOfOwners(Placement placement, byte[] key, int lookups) {
        int sum = 0;
        for (int i = 0; i < lookups; i++) {
            key[0] = (byte) i;
            sum += placement.owner(key);
        }
        return sum;
    }

    /**
     * A rare case: both answers are from the same node. A test causes it with the same name twice.
     */
    @Test
    void owner_ofTwoNodesThatScoreAlike_isTheFirstOfThePreferenceList() {
        Placement placement = new RendezvousPlacement(List.of("http://a:1", "http://a:1"));
        for (int i = 0; i < 10; i++) {
            assertThat(placement.owner(key(i))).isZero();
            assertThat(placement.preferenceList(key(i), 2)).containsExactly(0, 1);
        }
    }

    @Test
    void owner_afterTheFirstNodeLeaves_changesForItsKeysAlone() {
        List<String> all = names(NODES_MAX);
        List<String> rest = all.subList(1, NODES_MAX);
        Placement before = new RendezvousPlacement(all);
        Placement after = new RendezvousPlacement(rest);
        List<Integer> heirs = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            int[] two = before.preferenceList(key(i), 2);
            int stays = two[0] == 0 ? two[1] : two[0];
            assertThat(rest.get(after.owner(key(i)))).as("key-%d", i).isEqualTo(all.get(stays));
            if (two[0] == 0) {
                heirs.add(stays);
            }
        }
        assertThat(heirs).as("nodes that take its keys").contains(1, 2, 3, 4, 5);
    }
}
