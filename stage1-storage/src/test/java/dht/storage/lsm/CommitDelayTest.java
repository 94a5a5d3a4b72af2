package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which delay follows from the durations of the last syncs. */
class CommitDelayTest {
    /** The delay after so many syncs of this duration that all earlier ones are forgotten. */
    private static long delayAfterMany(CommitDelay delay, long syncNanos) {
        long delayNanos = 0;
        for (int i = 0; i < 300; i++) {
            delayNanos = delay.afterSync(syncNanos);
        }
        return delayNanos;
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "999999, 0",
        "1000000, 250000",
        "8000000, 2000000",
        "20000000, 5000000",
        "10000000000, 5000000"
    })
    void delay_manySyncsOfOneDuration_isAQuarterOfItWithinLimits(long syncNanos, long delayNanos) {
        assertThat(delayAfterMany(new CommitDelay(), syncNanos)).isEqualTo(delayNanos);
    }

    /**
     * On a busy machine, most short syncs look long, because their thread waits for a processor.
     */
    @Test
    void delay_fewShortSyncsAmongLongOnes_isNone() {
        CommitDelay delay = new CommitDelay();
        for (int i = 0; i < 300; i++) {
            long syncNanos = i % 10 == 0 ? 200_000 : 20_000_000;
            assertThat(delay.afterSync(syncNanos)).isZero();
        }
    }

    @Test
    void delay_diskBecomesFast_endsAtOnce() {
        CommitDelay delay = new CommitDelay();
        assertThat(delayAfterMany(delay, 8_000_000)).isPositive();
        assertThat(delay.afterSync(200_000)).isZero();
    }
}
