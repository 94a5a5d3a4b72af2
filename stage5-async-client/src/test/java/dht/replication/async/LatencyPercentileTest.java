package dht.replication.async;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class LatencyPercentileTest {
    private static final long SEED = 20261121;

    private final LatencyPercentile p95 = new LatencyPercentile(0.95, 1_000, 100_000_000);

    private void recordUniform(int count, int nanosMax) {
        recordUniform(p95, count, nanosMax);
    }

    private static void recordUniform(LatencyPercentile guess, int count, int nanosMax) {
        Random random = new Random(SEED);
        for (int i = 0; i < count; i++) {
            guess.record(random.nextInt(nanosMax));
        }
    }

    @Test
    void guess_ofUniformLatencies_isNearTheirPercentile() {
        recordUniform(10_000, 1_000_000);
        assertThat(p95.nanos()).as("seed=" + SEED).isBetween(850_000L, 1_100_000L);
    }

    @Test
    void guess_ofTheMedian_isNearIt() {
        LatencyPercentile median = new LatencyPercentile(0.5, 1_000, 100_000_000);
        recordUniform(median, 10_000, 1_000_000);
        assertThat(median.nanos()).as("seed=" + SEED).isBetween(400_000L, 620_000L);
    }

    @Test
    void guess_whenLatenciesChange_follows() {
        recordUniform(10_000, 1_000_000);
        recordUniform(100, 50_000_000);
        assertThat(p95.nanos()).as("seed=" + SEED).isGreaterThan(10_000_000);
        recordUniform(3_000, 1_000_000);
        assertThat(p95.nanos()).as("seed=" + SEED).isLessThan(2_000_000);
    }

    @Test
    void guess_whateverIsTold_staysWithinItsBounds() {
        assertThat(p95.nanos()).isEqualTo(100_000_000);
        for (int i = 0; i < 10_000; i++) {
            p95.record(0);
        }
        assertThat(p95.nanos()).isEqualTo(1_000);
        for (int i = 0; i < 1_000; i++) {
            p95.record(Long.MAX_VALUE);
        }
        assertThat(p95.nanos()).isEqualTo(100_000_000);
    }
}
