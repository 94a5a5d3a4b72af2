package dht.sharding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests rings so small that the owner of a key can be seen from its hash. With the usual number of
 * tokens, hardly any key would be after the last token, so no test would show whether the ring is
 * closed.
 */
class ConsistentPlacementTest {
    private static final int NODE_BITS = 16;

    /**
     * Numbers places like the hours of a clock with sixteen hours, beginning at the smallest hash.
     */
    private static long hour(int hour) {
        return Long.MIN_VALUE + ((long) hour << 60);
    }

    /**
     * <pre>
     *   hour   0   2   5       11   13   15
     *   token      0   1        2    1
     * </pre>
     */
    private static final ConsistentPlacement RING =
            new ConsistentPlacement(
                    3,
                    new long[] {
                        ConsistentPlacement.token(hour(2), 0),
                        ConsistentPlacement.token(hour(5), 1),
                        ConsistentPlacement.token(hour(11), 2),
                        ConsistentPlacement.token(hour(13), 1)
                    });

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 0", "2, 0", "3, 1", "5, 1", "6, 2", "10, 2", "11, 2", "12, 1", "13, 1"})
    void owner_ofPlace_isTheFirstTokenAtOrAfterIt(int hour, int owner) {
        assertThat(RING.owner(hour(hour))).isEqualTo(owner);
    }

    @ParameterizedTest
    @CsvSource({"14", "15"})
    void owner_ofPlaceBehindTheLastToken_isTheFirstOfTheRing(int hour) {
        assertThat(RING.owner(hour(hour))).isZero();
        assertThat(RING.owner(Long.MAX_VALUE)).isZero();
    }

    @Test
    void owner_ofPlaceNextToAToken_differsOnItsTwoSides() {
        long step = 1L << NODE_BITS; // What is below it says which node, not where.

        assertThat(RING.owner(hour(5))).isEqualTo(1);
        assertThat(RING.owner(hour(5) + step - 1)).isEqualTo(1);
        assertThat(RING.owner(hour(5) + step)).isEqualTo(2);
        assertThat(RING.owner(hour(13) + step)).isZero();
    }

    @Test
    void preferenceList_fromAPlaceOn_isTheDistinctNodesThatFollow() {
        assertThat(RING.preferenceList(hour(3), 3)).containsExactly(1, 2, 0);
        assertThat(RING.preferenceList(hour(7), 3)).containsExactly(2, 1, 0);
        assertThat(RING.preferenceList(hour(12), 3)).containsExactly(1, 0, 2);
        assertThat(RING.preferenceList(hour(15), 3)).containsExactly(0, 1, 2);
        assertThat(RING.preferenceList(hour(15), 1)).containsExactly(0);
    }

    /** On a thread of its own: a fourth node might be looked for without end. */
    @Test
    void preferenceList_countOutOfBounds_isIllegal() throws Exception {
        for (int count : new int[] {-1, 0, 4}) {
            FutureTask<int[]> list = new FutureTask<>(() -> RING.preferenceList(hour(3), count));
            Thread.ofPlatform().daemon().start(list);

            assertThatThrownBy(() -> list.get(10, TimeUnit.SECONDS))
                    .as("count=%d", count)
                    .cause()
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("count=%d nodes=3", count);
        }
    }

    /**
     * After the ring is made, the test replaces tokens that are far from the places which are
     * looked up. A search that looks at few tokens does not meet them.
     */
    @Test
    void owner_inALargeRing_dependsOnFewTokens() {
        SplittableRandom random = new SplittableRandom(1);
        long[] tokens =
                IntStream.range(0, 3 * 32768)
                        .mapToLong(i -> ConsistentPlacement.token(random.nextLong(), i % 3))
                        .sorted()
                        .toArray();
        long[] places = random.longs(100, hour(9), hour(12)).toArray();
        List<List<Integer>> expected =
                Arrays.stream(places).mapToObj(place -> walk(tokens, place)).toList();
        ConsistentPlacement ring = new ConsistentPlacement(3, tokens);
        int length = tokens.length;
        Arrays.fill(tokens, 1, length / 4, ConsistentPlacement.token(Long.MAX_VALUE, 0));
        Arrays.fill(tokens, length / 8 * 7, length - 1, ConsistentPlacement.token(hour(0), 0));

        for (int i = 0; i < places.length; i++) {
            assertThat(ring.owner(places[i]))
                    .as("owner, after tokens far from its place were replaced")
                    .isEqualTo(expected.get(i).getFirst());
            assertThat(ring.preferenceList(places[i], 3))
                    .as("list, after tokens far from its place were replaced")
                    .containsExactly(expected.get(i).stream().mapToInt(node -> node).toArray());
        }
    }

    /** Compares the search with a walk around the whole ring. */
    @Test
    void placement_anySmallRing_agreesWithAWalkAroundIt() {
        for (int seed = 0; seed < 300; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int nodeCount = 1 + random.nextInt(5);
            long[] tokens = tokens(random, nodeCount);
            ConsistentPlacement placement = new ConsistentPlacement(nodeCount, tokens.clone());
            for (long place : placesOfInterest(random, tokens)) {
                List<Integer> walked = walk(tokens, place);

                assertThat(placement.owner(place)).as("seed=%d", seed).isEqualTo(walked.getFirst());
                assertThat(placement.preferenceList(place, nodeCount))
                        .as("seed=%d", seed)
                        .containsExactly(walked.stream().mapToInt(node -> node).toArray());
            }
        }
    }

    private static long[] tokens(SplittableRandom random, int nodeCount) {
        int each = 1 + random.nextInt(4);
        return IntStream.range(0, nodeCount * each)
                .mapToLong(i -> ConsistentPlacement.token(random.nextLong(), i % nodeCount))
                .sorted()
                .toArray();
    }

    private static long[] placesOfInterest(SplittableRandom random, long[] tokens) {
        long step = 1L << NODE_BITS;
        var aroundTokens =
                Arrays.stream(tokens)
                        .flatMap(t -> Arrays.stream(new long[] {t - step, t, t + step}));
        var ends = Arrays.stream(new long[] {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE});
        return LongStream.concat(LongStream.concat(aroundTokens, ends), random.longs(20)).toArray();
    }

    /** The nodes of all tokens, from a place on and once around the ring, each node once. */
    private static List<Integer> walk(long[] tokens, long place) {
        int first = 0;
        while (first < tokens.length && tokens[first] >> NODE_BITS < place >> NODE_BITS) {
            first++;
        }
        return IntStream.range(first, first + tokens.length)
                .mapToLong(i -> tokens[i % tokens.length])
                .mapToObj(token -> (int) (token & (1 << NODE_BITS) - 1))
                .distinct()
                .toList();
    }
}
