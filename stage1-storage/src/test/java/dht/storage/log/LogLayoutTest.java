package dht.storage.log;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.memory.Layouts;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What counts as a record, where bytes may be anything: an older record's, or torn. */
class LogLayoutTest {
    private static final long NUMBER = 5;

    /** A log that holds one record at its beginning, with a checksum that fits these lengths. */
    private static MemorySegment record(int keyLength, int valueLength, int bytes) {
        MemorySegment log = MemorySegment.ofArray(new byte[bytes]);
        LogLayout.writeRecordHeader(log, 0, keyLength, valueLength, 1000);
        LogLayout.checksum(
                log, 0, LogLayout.computeChecksum(log, 0, keyLength, valueLength, NUMBER));
        return log;
    }

    /** As a replay asks, piece by piece. */
    private static boolean isValid(MemorySegment log, long record, long number) {
        if (log.byteSize() - record < LogLayout.RECORD_HEADER_BYTES) {
            return false;
        }
        long bytes = LogLayout.unpaddedBytes(log.asSlice(record));
        return bytes >= 0
                && bytes <= log.byteSize() - record
                && LogLayout.checksum(log, record)
                        == LogLayout.computeChecksum(log, record, bytes, number);
    }

    @ParameterizedTest
    @CsvSource({"1,-1", "1,0", "1,100", "1024,0", "1024,-1"})
    void isValid_lengthsThatCanBe_itIs(int keyLength, int valueLength) {
        assertThat(isValid(record(keyLength, valueLength, 2000), 0, NUMBER)).isTrue();
    }

    /** Bytes that are none of a record can have a checksum that fits them. */
    @ParameterizedTest
    @CsvSource({"0,0", "0,-1", "1025,0", "1,-2"})
    void isValid_lengthsThatCannotBe_isNot(int keyLength, int valueLength) {
        assertThat(isValid(record(keyLength, valueLength, 2000), 0, NUMBER)).isFalse();
    }

    @Test
    void isValid_recordAtTheEndOfTheFile_onlyIfItIsWhole() {
        int bytes = LogLayout.RECORD_HEADER_BYTES + 3 + 7;
        MemorySegment whole = record(3, 7, bytes);
        assertThat(isValid(whole, 0, NUMBER)).isTrue();
        for (int cut = 0; cut < bytes; cut++) {
            assertThat(isValid(whole.asSlice(0, cut), 0, NUMBER)).isFalse();
        }
    }

    @Test
    void isValid_recordThatTheFileHeldAsAnotherLog_isNot() {
        assertThat(isValid(record(3, 7, 100), 0, NUMBER + 1)).isFalse();
    }

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
