package dht.replication;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.storage.ReadOutcome;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how the answer of another node counts, and when its memory is released. */
@Timeout(60)
class PeerReplicaTest {
    private static final Instant NOON = Instant.parse("2026-01-02T12:00:00Z");
    private static final long STAMP = NOON.toEpochMilli() * 1000;
    private static final long TOO_FAR_AHEAD = STAMP + Duration.ofDays(2).toMillis() * 1000;
    private static final EntityRequest.Get READ = new EntityRequest.Get(new byte[] {'k'}, null);
    private static final EntityRequest WRITE = new EntityRequest.Delete(new byte[] {'k'}, null);

    private final HybridLogicalClock clock =
            new HybridLogicalClock(() -> NOON, Duration.ofDays(1), 0);
    private final StubPeer peer = new StubPeer(new NodeAddress("n2", 8082));
    private final StubHealing healing = new StubHealing();
    private final PeerReplica replica = new PeerReplica(peer, clock, healing);
    private final AtomicInteger held = new AtomicInteger();

    private ReadAnswer readAnswered(int status, long stamp, String body) throws Exception {
        List<ReadAnswer> answers = new ArrayList<>();
        replica.read(READ, answers::add);
        held.incrementAndGet();
        peer.nextQuestion().answer(status, stamp, body, held::decrementAndGet);
        assertThat(answers).hasSize(1);
        return answers.getFirst();
    }

    private WriteAnswer writeAnswered(int status, long stamp, String body) throws Exception {
        List<WriteAnswer> answers = new ArrayList<>();
        replica.write(WRITE, STAMP, answers::add);
        StubPeer.Question question = peer.nextQuestion();
        assertThat(question.stamp()).isEqualTo(STAMP);
        held.incrementAndGet();
        question.answer(status, stamp, body, held::decrementAndGet);
        assertThat(answers).hasSize(1);
        return answers.getFirst();
    }

    private static void expectFailed(ReadAnswer answer, String reason) {
        assertThat(answer)
                .isInstanceOfSatisfying(
                        ReadAnswer.Failed.class,
                        failed -> assertThat(failed.failure()).hasToString(reason));
    }

    private static void expectFailed(WriteAnswer answer, String reason) {
        assertThat(answer)
                .isInstanceOfSatisfying(
                        WriteAnswer.Failed.class,
                        failed -> assertThat(failed.failure()).hasToString(reason));
    }

    private void expectNothingHeld() {
        assertThat(held).as("answers whose memory is held").hasValue(0);
    }

    @Test
    void read_answeredWithAValue_holdsItsMemoryUntilItIsClosed() throws Exception {
        ReadOutcome outcome = ((ReadAnswer.Looked) readAnswered(200, STAMP, "v")).version();
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        ReadOutcome.Found.class,
                        found -> {
                            assertThat(found.timestampMicros()).isEqualTo(STAMP);
                            assertThat(found.value().toArray(ValueLayout.JAVA_BYTE))
                                    .isEqualTo("v".getBytes(UTF_8));
                        });
        assertThat(held).hasValue(1);
        outcome.close();
        expectNothingHeld();
    }

    @Test
    void read_answeredThatThereIsNoValue_holdsNothing() throws Exception {
        assertThat(readAnswered(404, STAMP, "the entry was deleted"))
                .isEqualTo(new ReadAnswer.Looked(new ReadOutcome.Deleted(STAMP)));
        assertThat(readAnswered(404, 0, "no entry has this id"))
                .isEqualTo(new ReadAnswer.Looked(ReadOutcome.Absent.INSTANCE));
        expectNothingHeld();
    }

    /** Without a stamp nobody can say whether it is newer than what other replicas have. */
    @Test
    void read_answeredWithAValueThatHasNoStamp_isAFailure() throws Exception {
        expectFailed(readAnswered(200, 0, "v"), "http://n2:8082: answered 200: v");
        expectNothingHeld();
    }

    @Test
    void read_answeredWithAStampTooFarAhead_isAFailureThatHoldsNothing() throws Exception {
        ReadAnswer answer = readAnswered(200, TOO_FAR_AHEAD, "v");
        assertThat(((ReadAnswer.Failed) answer).failure().toString())
                .startsWith("http://n2:8082: timestamp=" + TOO_FAR_AHEAD);
        expectNothingHeld();
    }

    @Test
    void failure_ofANodeThatAnswers_isItsFirstLine() throws Exception {
        String reason = "http://n2:8082: answered 503: the disk is full";
        expectFailed(readAnswered(503, 0, "the disk is full\nand more"), reason);
        expectFailed(writeAnswered(503, 0, "the disk is full\nand more"), reason);
        expectNothingHeld();
    }

    @Test
    void failure_ofANodeThatCannotBeAsked_saysWhy() {
        peer.close();
        String reason =
                "http://n2:8082: was not asked: too many requests wait for it, or this node is stopping";
        replica.read(READ, answer -> expectFailed(answer, reason));
        replica.write(WRITE, STAMP, answer -> expectFailed(answer, reason));
    }

    /** A receiver without an answer waits for ever. */
    @ParameterizedTest
    @MethodSource
    void answer_thatCannotBeUsed_isAFailureForItsReceiver(Error thrown) throws Exception {
        String reason = "http://n2:8082: its answer could not be used";
        List<Object> told = new ArrayList<>();
        replica.read(READ, told::add);
        replica.write(WRITE, STAMP, told::add);
        replica.findNewer(READ.key(), STAMP, told::add);
        for (int i = 0; i < 3; i++) {
            peer.nextQuestion().refuse(thrown);
        }
        assertThat(told).hasSize(3);
        expectFailed((ReadAnswer) told.getFirst(), reason);
        expectFailed((WriteAnswer) told.get(1), reason);
        expectFailed((WriteAnswer) told.getLast(), reason);
    }

    /** After a class could not be initialised for lack of memory, using it throws the second. */
    static List<Error> answer_thatCannotBeUsed_isAFailureForItsReceiver() {
        return List.of(
                new OutOfMemoryError("made by the test"),
                new NoClassDefFoundError("made by the test"));
    }

    @ParameterizedTest
    @ValueSource(ints = {201, 202})
    void write_answeredThatItIsStored_hasAnAcceptedStamp(int status) throws Exception {
        assertThat(clock.isProbablyAccepted(STAMP)).isFalse();
        assertThat(writeAnswered(status, 0, "")).isEqualTo(WriteAnswer.Stored.INSTANCE);
        assertThat(clock.isProbablyAccepted(STAMP)).isTrue();
        expectNothingHeld();
    }

    @Test
    void write_answeredWithANewerVersion_isSupersededAndMovesTheClock() throws Exception {
        assertThat(writeAnswered(201, STAMP + 7, ""))
                .isEqualTo(new WriteAnswer.Superseded(STAMP + 7));
        assertThat(clock.nextMicros()).isEqualTo(STAMP + 8);
    }

    @Test
    void write_answeredWithAVersionTooFarAhead_isAFailure() throws Exception {
        WriteAnswer answer = writeAnswered(201, TOO_FAR_AHEAD, "");
        assertThat(((WriteAnswer.Failed) answer).failure().toString())
                .startsWith("http://n2:8082: holds a newer version: timestamp=" + TOO_FAR_AHEAD);
    }

    /** It could be delivered again and again, and would always be answered in the same way. */
    @Test
    void write_answeredWithAVersionTooFarAhead_isNotMissed() throws Exception {
        assertThat(writeAnswered(201, TOO_FAR_AHEAD, "")).isInstanceOf(WriteAnswer.Failed.class);
        assertThat(healing.told()).isEmpty();
        writeAnswered(503, 0, "the disk is full");
        assertThat(healing.told()).containsExactly("missed n2");
    }

    /** Only 400 is about the stamp: after any other status, the node may accept it next time. */
    @ParameterizedTest
    @CsvSource({"400,true", "500,false", "200,false", "404,false"})
    void write_notStored_isRejectedOnlyForItsStamp(int status, boolean isRejected)
            throws Exception {
        assertThat(writeAnswered(status, 0, "timestamp: too far ahead"))
                .isInstanceOf(isRejected ? WriteAnswer.Rejected.class : WriteAnswer.Failed.class);
        assertThat(clock.isProbablyAccepted(STAMP)).isFalse();
        expectNothingHeld();
    }

    /** As by a node of an earlier stage. A hint is kept for it. */
    @Test
    void write_toANodeThatDoesNotKnowThePath_hasFailed() throws Exception {
        assertThat(writeAnswered(400, 0, "unknown path")).isInstanceOf(WriteAnswer.Failed.class);
        expectNothingHeld();
    }

    private WriteAnswer newerAnswered(int status, long stamp) throws Exception {
        List<WriteAnswer> answers = new ArrayList<>();
        replica.findNewer(new byte[] {'k'}, STAMP, answers::add);
        StubPeer.Question question = peer.nextQuestion();
        assertThat(question.request()).isInstanceOf(EntityRequest.Get.class);
        assertThat(question.stamp()).isEqualTo(STAMP);
        held.incrementAndGet();
        question.answer(status, stamp, "body", held::decrementAndGet);
        assertThat(answers).hasSize(1);
        expectNothingHeld();
        return answers.getFirst();
    }

    /** A node of an earlier release sends the value that it has, whatever its stamp is. */
    @ParameterizedTest
    @CsvSource({"404,0", "404,-1", "200,-1"})
    void findNewer_answeredWithoutANewerVersion_hasTheStampForItself(int status, long ahead)
            throws Exception {
        assertThat(newerAnswered(status, ahead == 0 ? 0 : STAMP + ahead))
                .isEqualTo(WriteAnswer.Stored.INSTANCE);
    }

    @ParameterizedTest
    @CsvSource({"404,0", "404,7", "200,7"})
    void findNewer_answeredWithANewerVersion_isSupersededAndMovesTheClock(int status, long ahead)
            throws Exception {
        assertThat(newerAnswered(status, STAMP + ahead))
                .isEqualTo(new WriteAnswer.Superseded(STAMP + ahead));
        assertThat(clock.nextMicros()).isGreaterThan(STAMP + ahead);
    }

    @Test
    void findNewer_notAnswered_isAFailureThatNothingIsMissedBy() throws Exception {
        expectFailed(newerAnswered(503, 0), "http://n2:8082: answered 503: body");
        assertThat(newerAnswered(404, TOO_FAR_AHEAD)).isInstanceOf(WriteAnswer.Failed.class);
        assertThat(healing.told()).isEmpty();
    }
}
