package dht.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class DistributionTest {
    private static final int KEYS = 1000;
    private static final int DRAWS = 400_000;

    @Test
    void uniform_ofManyDraws_meetsAllAlike() {
        long[] counts = draw(Distribution.UNIFORM, KEYS);
        double expected = (double) DRAWS / KEYS;
        assertThat(Arrays.stream(counts).min().orElseThrow()).isGreaterThan((long) (expected / 2));
        assertThat(Arrays.stream(counts).max().orElseThrow()).isLessThan((long) (expected * 2));
    }

    @Test
    void zipfian_ofManyDraws_isNearTheory() {
        long[] counts = draw(Distribution.ZIPFIAN, KEYS);
        long[] sorted = Arrays.stream(counts).sorted().toArray();
        double total = IntStream.rangeClosed(1, KEYS).mapToDouble(r -> Math.pow(r, -0.99)).sum();
        for (int rank : new int[] {0, 1, 4}) {
            double share = (double) sorted[KEYS - 1 - rank] / DRAWS;
            assertThat(share)
                    .as("share of rank %d", rank)
                    .isCloseTo(Math.pow(rank + 1, -0.99) / total, withPercentage(5));
        }
        double hottestTenth = (double) Arrays.stream(sorted, KEYS - KEYS / 10, KEYS).sum() / DRAWS;
        double expected =
                IntStream.rangeClosed(1, KEYS / 10).mapToDouble(r -> Math.pow(r, -0.99)).sum()
                        / total;
        assertThat(hottestTenth).isCloseTo(expected, withPercentage(3));
    }

    @Test
    void zipfian_ofManyDraws_scattersTheHotKeys() {
        long[] counts = draw(Distribution.ZIPFIAN, KEYS);
        int hottest = indexOfMax(counts);
        counts[hottest] = 0;
        assertThat(Math.abs(indexOfMax(counts) - hottest)).isGreaterThan(KEYS / 10);
    }

    @Test
    void latest_ofManyDraws_asksMostForTheLastKeys() {
        long[] counts = draw(Distribution.LATEST, KEYS);
        assertThat(indexOfMax(counts)).isEqualTo(KEYS - 1);
        assertThat(counts[KEYS - 1]).isGreaterThan(counts[KEYS - 2]);
        assertThat(counts[KEYS - 2]).isGreaterThan(counts[KEYS - 10]);
    }

    @ParameterizedTest
    @EnumSource(Distribution.class)
    void chooser_ofFewKeys_meetsEachAndNoOther(Distribution distribution) {
        for (int count = 1; count <= 12; count++) {
            assertThat(draw(distribution, count)).as("keys=%d", count).doesNotContain(0);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 10, 97, 1000, 99_999, 89_999_999})
    void chooser_ofManyKeys_staysWithinThem(long count) {
        for (Distribution distribution : Distribution.values()) {
            Distribution.Chooser chooser = distribution.chooser(count, new CombinedRandom(1, 1));
            for (int i = 0; i < 1000; i++) {
                assertThat(chooser.next()).isBetween(0L, count - 1);
            }
        }
    }

    @Test
    void random_ofOtherSeedsAndStreams_isAnother() {
        double first = new CombinedRandom(42, 0).next();
        assertThat(new CombinedRandom(42, 0).next()).isEqualTo(first);
        assertThat(new CombinedRandom(42, 1).next()).isNotEqualTo(first);
        assertThat(new CombinedRandom(43, 0).next()).isNotEqualTo(first);
    }

    private static long[] draw(Distribution distribution, int keys) {
        long[] counts = new long[keys];
        Distribution.Chooser chooser = distribution.chooser(keys, new CombinedRandom(42, 0));
        for (int i = 0; i < DRAWS; i++) {
            counts[(int) chooser.next()]++;
        }
        return counts;
    }

    private static int indexOfMax(long[] counts) {
        return IntStream.range(0, counts.length)
                .reduce((a, b) -> counts[a] >= counts[b] ? a : b)
                .orElseThrow();
    }
}
