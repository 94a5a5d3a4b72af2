package dht.storage.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.CorruptionException;
import dht.storage.EntryView;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests what counts as a record, if the bytes may be from an older record or from an incomplete
 * one.
 */
class LogRecordsTest {
    private static final long NUMBER = 5;
    private static final String NAME = LogFiles.name(NUMBER);
    private static final int COPIED_BYTES_MAX = 64 << 10;

    /** A log that holds one record at its beginning, with a checksum that fits these lengths. */
    private static MemorySegment record(int keyLength, int valueLength, int bytes) {
        MemorySegment log = MemorySegment.ofArray(new byte[bytes]);
        LogLayout.writeRecordHeader(log, 0, keyLength, valueLength, 1000);
        long unpadded = LogLayout.RECORD_HEADER_BYTES + keyLength + Math.max(0, valueLength);
        LogLayout.checksum(log, 0, LogLayout.computeChecksum(log, 0, unpadded, NUMBER));
        return log;
    }

    private static boolean tryRead(MemorySegment log) {
        return new LogRecords(log, NUMBER, NAME).tryRead(0, new EntryView());
    }

    @ParameterizedTest
    @CsvSource({"1,-1", "1,0", "1,100", "1026,0", "1026,-1"})
    void tryRead_lengthsThatCanBe_findsTheRecord(int keyLength, int valueLength) {
        EntryView entry = new EntryView();
        LogRecords records = new LogRecords(record(keyLength, valueLength, 2000), NUMBER, NAME);
        assertThat(records.tryRead(0, entry)).isTrue();
        assertThat(entry.keyLength()).isEqualTo(keyLength);
        assertThat(entry.valueLength()).isEqualTo(valueLength);
        assertThat(entry.timestampMicros()).isEqualTo(1000);
    }

    /** Bytes that are no record can have a checksum that fits them. */
    @ParameterizedTest
    @CsvSource({"0,0", "0,-1", "1027,0", "1,-2"})
    void tryRead_lengthsThatCannotBe_findsNone(int keyLength, int valueLength) {
        assertThat(tryRead(record(keyLength, valueLength, 2000))).isFalse();
    }

    /** A larger record is not copied. */
    @ParameterizedTest
    @ValueSource(ints = {COPIED_BYTES_MAX, COPIED_BYTES_MAX + 1})
    void tryRead_recordAroundTheSizeThatIsCopied_findsItsValue(int unpaddedBytes) {
        int valueLength = unpaddedBytes - LogLayout.RECORD_HEADER_BYTES - 1;
        MemorySegment log = record(1, valueLength, unpaddedBytes);
        EntryView entry = new EntryView();
        assertThat(new LogRecords(log, NUMBER, NAME).tryRead(0, entry)).isTrue();
        assertThat(entry.copyValue()).hasSize(valueLength);
        assertThat(tryRead(log.asSlice(0, unpaddedBytes - 1))).as("cut").isFalse();
    }

    @Test
    void tryRead_recordAtTheEndOfTheFile_findsItOnlyIfItIsWhole() {
        int bytes = LogLayout.RECORD_HEADER_BYTES + 3 + 7;
        MemorySegment whole = record(3, 7, bytes);
        assertThat(tryRead(whole)).isTrue();
        for (int cut = 0; cut < bytes; cut++) {
            assertThat(tryRead(whole.asSlice(0, cut))).isFalse();
        }
    }

    @Test
    void read_recordThatTheFileHeldAsAnotherLog_isCorruption() {
        LogRecords records = new LogRecords(record(3, 7, 100), NUMBER + 1, NAME);
        assertThatThrownBy(() -> records.read(0, new EntryView()))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("file=" + NAME + " offset=0")
                .hasMessageContaining("log record fails its checksum");
    }
}
