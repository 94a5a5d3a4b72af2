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
        assertThat(fromIfKept(record(PlacementRecord.FROM_MAX, STAMP)))
                .hasValue(PlacementRecord.FROM_MAX);
    }

    @Test
    void number_thatARecordCannotHold_isNotRecorded() {
        int most = PlacementRecord.FROM_MAX;
        assertThat(PlacementRecord.recorded(2, 3)).isEqualTo(2);
        assertThat(PlacementRecord.recorded(3, 3)).as("all nodes").isZero();
        assertThat(PlacementRecord.recorded(most, most + 5)).isEqualTo(most);
        assertThat(PlacementRecord.recorded(most + 1, most + 5)).isZero();
    }

    /** Of two keys, one record would replace the other. */
    @Test
    void record_hasAKeyOfItsOwn() {
        FailingDao dao = new FailingDao();
        PlacementRecord.store(dao, new byte[] {'a', 'b'}, 2, STAMP);
        PlacementRecord.delete(dao, new byte[] {'a', 'c'}, STAMP);
        assertThat(dao.keys())
                .containsExactly(
                        PlacementRecord.key(new byte[] {'a', 'b'}),
                        PlacementRecord.key(new byte[] {'a', 'c'}));
        assertThat(dao.keys().getFirst()).endsWith('a', 'b').hasSize(3);
        assertThat(dao.keys().getLast()).endsWith('a', 'c').hasSize(3);
    }

    @Test
    void versionWithoutARecord_isOnAllNodes() {
        FailingDao dao = new FailingDao();
        assertThat(PlacementRecord.from(dao, KEY, STAMP)).isZero();
        dao.find(record(2, STAMP));
        assertThat(PlacementRecord.from(dao, KEY, STAMP)).isEqualTo(2);
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
