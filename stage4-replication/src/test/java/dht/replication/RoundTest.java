package dht.replication;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.ReadOutcome;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoundTest {
    private static final Quorum TWO_OF_THREE = new Quorum(2, 3);

    /** In a round of a regular register it does not matter which replica has answered. */
    private static final Replica ANYONE = null;

    private static final WriteAnswer STORED = WriteAnswer.Stored.INSTANCE;

    private final AtomicInteger held = new AtomicInteger();

    private static ReplicaFailure failure(int node) {
        return new ReplicaFailure("http://n" + node + ":1", "refused the connection");
    }

    private static WriteAnswer failedWrite(int node) {
        return new WriteAnswer.Failed(failure(node));
    }

    private static WriteAnswer rejectedWrite(int node) {
        return new WriteAnswer.Rejected(new ReplicaFailure("http://n" + node + ":1", "rejects it"));
    }

    private static ReadAnswer failedRead(int node) {
        return new ReadAnswer.Failed(failure(node));
    }

    /** {@code v@10}, {@code deleted@10} or {@code absent}. */
    private ReadAnswer looked(String version) {
        if (version.equals("absent")) {
            return new ReadAnswer.Looked(ReadOutcome.Absent.INSTANCE);
        }
        String value = version.substring(0, version.indexOf('@'));
        long stamp = Long.parseLong(version.substring(version.indexOf('@') + 1));
        if (value.equals("deleted")) {
            return new ReadAnswer.Looked(new ReadOutcome.Deleted(stamp));
        }
        held.incrementAndGet();
        MemorySegment bytes = MemorySegment.ofArray(value.getBytes(ISO_8859_1));
        return new ReadAnswer.Looked(new ReadOutcome.Found(bytes, stamp, held::decrementAndGet));
    }

    private static String text(ReadResult result) {
        return switch (result) {
            case ReadResult.Newest newest -> text(newest.version());
            case ReadResult.TooFewReplicas few -> few.failure().toString();
        };
    }

    private static String text(ReadOutcome outcome) {
        return switch (outcome) {
            case ReadOutcome.Found found ->
                    new String(found.value().toArray(ValueLayout.JAVA_BYTE), ISO_8859_1)
                            + "@"
                            + found.timestampMicros();
            case ReadOutcome.Deleted deleted -> "deleted@" + deleted.timestampMicros();
            case ReadOutcome.Absent _ -> "absent";
        };
    }

    @ParameterizedTest
    @CsvSource({
        "a@10,        b@20,        b@20",
        "b@10,        a@20,        a@20",
        "deleted@20,  a@10,        deleted@20",
        "deleted@10,  a@20,        a@20",
        "deleted@10,  zzz@10,      deleted@10",
        "a@10,        b@10,        b@10",
        "a@10,        aa@10,       aa@10",
        "\u007f@10,   \u0080@10,   \u0080@10",
        "a@10,        a@10,        a@10",
        "absent,      a@10,        a@10",
        "absent,      deleted@10,  deleted@10",
        "absent,      absent,      absent",
    })
    void read_ofTwoVersions_returnsTheWinnerInEitherOrder(
            String first, String second, String winner) {
        for (List<String> order : List.of(List.of(first, second), List.of(second, first))) {
            ReadRound round = new ReadRound(TWO_OF_THREE, RegisterKind.REGULAR);
            order.forEach(version -> round.add(ANYONE, looked(version)));

            assertThat(round.isDecided()).isTrue();
            ReadResult result = round.result();
            assertThat(text(result)).isEqualTo(winner);
            ((ReadResult.Newest) result).version().close();
            assertThat(held).as("values still held").hasValue(0);
        }
    }

    @Test
    void read_untilAckAnswers_isUndecided() {
        ReadRound round = new ReadRound(TWO_OF_THREE, RegisterKind.REGULAR);
        round.add(ANYONE, looked("a@10"));
        assertThat(round.isDecided()).isFalse();
        round.add(ANYONE, failedRead(2));
        assertThat(round.isDecided()).isFalse();
        round.add(ANYONE, looked("b@20"));
        assertThat(round.isDecided()).isTrue();
    }

    @Test
    void read_tooManyFailed_tellsWhoFailedHowAndHoldsNothing() {
        ReadRound round = new ReadRound(TWO_OF_THREE, RegisterKind.REGULAR);
        round.add(ANYONE, failedRead(1));
        round.add(ANYONE, looked("a@10"));
        round.add(ANYONE, failedRead(3));

        assertThat(round.isDecided()).isTrue();
        assertThat(text(round.result()))
                .isEqualTo(
                        "replicas=2/3: 1 answered; http://n1:1: refused the connection; http://n3:1: refused the connection");
        assertThat(held).hasValue(0);
    }

    @ParameterizedTest
    @CsvSource({"1,1", "1,3", "2,3", "3,3", "3,5", "5,5"})
    void write_stored_isAcknowledgedAtAck(int ack, int from) {
        WriteRound round = WriteRound.first(new Quorum(ack, from));
        for (int i = 1; i < ack; i++) {
            round.add(STORED);
            assertThat(round.isDecided()).isFalse();
        }
        round.add(STORED);
        assertThat(round.isDecided()).isTrue();
        assertThat(round.result()).isEqualTo(new WriteResult.Acknowledged());
    }

    @ParameterizedTest
    @CsvSource({"1,1", "1,3", "2,3", "3,3", "3,5", "5,5"})
    void write_failed_isGivenUpAsSoonAsAckIsOutOfReach(int ack, int from) {
        WriteRound round = WriteRound.first(new Quorum(ack, from));
        List<WriteAnswer> answers = new ArrayList<>();
        for (int i = 0; i < from - ack; i++) {
            answers.add(failedWrite(i));
        }
        answers.forEach(round::add);
        assertThat(round.isDecided()).isFalse();
        round.add(failedWrite(from));
        assertThat(round.isDecided()).isTrue();
        assertThat(round.result()).isInstanceOf(WriteResult.TooFewReplicas.class);
    }

    @Test
    void write_lateInItsFirstRound_isOutdatedByTheNewestMet() {
        WriteRound round = WriteRound.first(new Quorum(3, 4));
        round.add(new WriteAnswer.Superseded(30));
        round.add(new WriteAnswer.Superseded(20));
        assertThat(round.isDecided()).isFalse();
        round.add(STORED);
        assertThat(round.result()).isEqualTo(new WriteResult.Outdated(30));
    }

    @Test
    void write_lateInItsLastRound_isAcknowledged() {
        WriteRound round = WriteRound.last(TWO_OF_THREE);
        round.add(new WriteAnswer.Superseded(30));
        round.add(STORED);
        assertThat(round.result()).isEqualTo(new WriteResult.Acknowledged());
    }

    /** Then the coordinator stores its own copy. */
    @Test
    void write_thatAReplicaHasStored_isAccepted() {
        for (WriteAnswer stored : List.of(STORED, new WriteAnswer.Superseded(30))) {
            WriteRound round = WriteRound.first(TWO_OF_THREE);
            round.add(failedWrite(1));
            assertThat(round.isAccepted()).isFalse();
            round.add(stored);
            assertThat(round.isAccepted()).as("accepted by %s", stored).isTrue();
            assertThat(round.isRejected()).isFalse();
        }
    }

    @Test
    void write_thatAReplicaRejects_isRejectedUntilAnotherOneHasStoredIt() {
        WriteRound round = WriteRound.first(TWO_OF_THREE);
        round.add(rejectedWrite(1));
        assertThat(round.isRejected()).isTrue();
        assertThat(round.isAccepted()).isFalse();
        assertThat(round.isDecided()).isFalse();
        round.add(STORED);
        assertThat(round.isRejected()).isFalse();
        assertThat(round.isAccepted()).isTrue();
        assertThat(round.isDecided()).isFalse();
    }

    @Test
    void write_thatTwoOfThreeReject_isTooFewReplicas() {
        WriteRound round = WriteRound.first(TWO_OF_THREE);
        round.add(rejectedWrite(1));
        round.add(rejectedWrite(2));
        assertThat(round.isDecided()).isTrue();
        assertThat(round.result()).isInstanceOf(WriteResult.TooFewReplicas.class);
        assertThat(round.isRejected()).isTrue();
    }
}
