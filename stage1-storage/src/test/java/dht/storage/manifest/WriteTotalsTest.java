package dht.storage.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests how many bytes are written to tables for each byte that clients have written. */
class WriteTotalsTest {
    @Test
    void writeAmplification_nothingHandedIn_isZero() {
        assertThat(WriteTotals.ZERO.writeAmplification()).isZero();
        assertThat(WriteTotals.ZERO.plusCompaction(10).writeAmplification()).isZero();
    }

    @Test
    void writeAmplification_afterFlushesAndCompactions_countsEachTable() {
        WriteTotals flushed = WriteTotals.ZERO.plusFlush(100, 110).plusFlush(100, 110);
        assertThat(flushed).isEqualTo(new WriteTotals(200, 220, 0));
        assertThat(flushed.writeAmplification()).isEqualTo(1.1);

        WriteTotals compacted = flushed.plusCompaction(150).plusCompaction(50);
        assertThat(compacted).isEqualTo(new WriteTotals(200, 220, 200));
        assertThat(compacted.writeAmplification()).isEqualTo(2.1);
    }
}
