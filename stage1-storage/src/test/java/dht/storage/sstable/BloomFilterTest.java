package dht.storage.sstable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dht.storage.TextDao;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BloomFilterTest {
    private static final int ABSENT = 200_000;

    private static BloomFilter filter(int keyCount, int bitsPerKey) {
        int bytes = (int) BloomFilter.bytes(keyCount, bitsPerKey);
        BloomFilter filter = new BloomFilter(MemorySegment.ofArray(new long[bytes / 8]), 0, bytes);
        for (int i = 0; i < keyCount; i++) {
            filter.add(hash(i));
        }
        return filter;
    }

    private static long hash(int number) {
        return KeyHash.of(TextDao.bytes("key" + number));
    }

    private static double measuredRate(BloomFilter filter, int keyCount) {
        int passed = 0;
        for (int i = keyCount; i < keyCount + ABSENT; i++) {
            passed += filter.mayContain(hash(i)) ? 1 : 0;
        }
        return (double) passed / ABSENT;
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 10", "7, 3", "1000, 1", "1000, 10", "50000, 10", "3000, 40"})
    void mayContain_keysThatWereAdded_neverDenied(int keyCount, int bitsPerKey) {
        BloomFilter filter = filter(keyCount, bitsPerKey);

        for (int i = 0; i < keyCount; i++) {
            assertThat(filter.mayContain(hash(i))).as("key%d", i).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({"5", "10", "20"})
    void falsePositiveRate_estimated_isWhatIsMeasured(int bitsPerKey) {
        BloomFilter filter = filter(50_000, bitsPerKey);

        double estimated = filter.falsePositiveRate();
        assertThat(measuredRate(filter, 50_000))
                .isCloseTo(estimated, within(0.1 * estimated + 0.0003));
    }

    /** As docs/reference/formats.md says. */
    @Test
    void falsePositiveRate_tenBits_isAsDocumented() {
        assertThat(measuredRate(filter(50_000, 10), 50_000)).isCloseTo(0.010, within(0.001));
    }

    @Test
    void falsePositiveRate_oneBit_stillHelpsSometimes() {
        assertThat(measuredRate(filter(50_000, 1), 50_000)).isBetween(0.9, 0.999);
    }

    @Test
    void mayContain_emptyFilter_deniesAll() {
        BloomFilter filter = new BloomFilter(MemorySegment.ofArray(new long[8]), 0, 64);

        assertThat(measuredRate(filter, 0)).isZero();
        assertThat(filter.falsePositiveRate()).isZero();
    }

    @Test
    void bytes_anyCount_areWholeLines() {
        assertThat(BloomFilter.bytes(0, 10)).isEqualTo(64);
        assertThat(BloomFilter.bytes(51, 10)).isEqualTo(64);
        assertThat(BloomFilter.bytes(52, 10)).isEqualTo(128);
        assertThat(BloomFilter.bytes(1L << 31, 10)).isEqualTo((10L << 31) / 8);
    }
}
