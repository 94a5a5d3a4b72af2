package dht.replication;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.ReadOutcome;
import java.lang.foreign.MemorySegment;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Asks for the record of a version that may have been overwritten since it was read. */
class PlacementRecordTest {
    private static final byte[] KEY = {'k'};
    private static final long STAMP = 20;
    private static final OptionalInt ALL_NODES = OptionalInt.of(0);
    private static final OptionalInt UNKNOWN = OptionalInt.empty();

    private static OptionalInt fromIfKept(ReadOutcome record) {
        FailingDao dao = new FailingDao();
        dao.find(record);
        return PlacementRecord.fromIfKept(dao, KEY, STAMP);
    }

    private static ReadOutcome record(int from, long timestampMicros) {
        MemorySegment value = MemorySegment.ofArray(new byte[] {(byte) from});
        return new ReadOutcome.Found(value, timestampMicros, ReadOutcome.NOTHING_HELD);
    }

    @Test
    void record_ofThisVersion_says() {
        assertThat(fromIfKept(record(2, STAMP))).hasValue(2);
    }

    @Test
    void noRecord_orThatOfAnOlderVersion_meansAllNodes() {
        assertThat(fromIfKept(ReadOutcome.Absent.INSTANCE)).isEqualTo(ALL_NODES);
        assertThat(fromIfKept(record(2, STAMP - 1))).isEqualTo(ALL_NODES);
        assertThat(fromIfKept(new ReadOutcome.Deleted(STAMP - 1))).isEqualTo(ALL_NODES);
    }

    @Test
    void record_ofANewerVersion_hidesWhatWasRecorded() {
        assertThat(fromIfKept(record(1, STAMP + 1))).isEqualTo(UNKNOWN);
    }

    @Test
    void record_deletedUnderANewerVersion_saysNothing() {
        assertThat(fromIfKept(new ReadOutcome.Deleted(STAMP))).isEqualTo(UNKNOWN);
        assertThat(fromIfKept(new ReadOutcome.Deleted(STAMP + 1))).isEqualTo(UNKNOWN);
    }
}
