package dht.storage.log;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.memory.Layouts;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Tests the marks in a log, and the number of bytes that its records take. */
class LogLayoutTest {
    private static final long NUMBER = 5;

    @Test
    void endAt_offsetWithRoomForAMark_storesIt() {
        byte[] bytes = new byte[24];
        Arrays.fill(bytes, (byte) 1);
        MemorySegment log = MemorySegment.ofArray(bytes);
        assertThat(LogLayout.isBegun(log, 16)).isTrue();
        LogLayout.endAt(log, 16);
        assertThat(LogLayout.isBegun(log, 16)).isFalse();
        assertThat(log.get(Layouts.LONG, 8)).as("before it").isNotZero();

        LogLayout.endAt(log, 24);
        assertThat(LogLayout.isBegun(log, 24)).as("behind the file").isFalse();
    }

    @Test
    void recordBytes_ofATombstone_areThoseOfItsKey() {
        assertThat(LogLayout.recordBytes(6, -1)).isEqualTo(24);
        assertThat(LogLayout.recordBytes(6, 0)).isEqualTo(24);
        assertThat(LogLayout.recordBytes(6, 1)).isEqualTo(32);
    }

    @Test
    void hasPreviousEnd_nothingStored_isFalse() {
        MemorySegment log = MemorySegment.ofArray(new byte[LogLayout.HEADER_BYTES]);
        assertThat(LogLayout.hasPreviousEnd(log)).isFalse();
        LogLayout.previousEnd(log, 4096, NUMBER);
        assertThat(LogLayout.hasPreviousEnd(log)).isTrue();
        assertThat(LogLayout.isPreviousEndValid(log, NUMBER)).isTrue();
        assertThat(LogLayout.isPreviousEndValid(log, NUMBER + 1)).as("of another log").isFalse();
    }
}
