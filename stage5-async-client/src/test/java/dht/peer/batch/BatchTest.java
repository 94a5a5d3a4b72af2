package dht.peer.batch;

import static dht.peer.async.StubNode.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import dht.http.EntityRequest;
import dht.http.OwnedBytes;
import dht.http.RequestException;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerCall;
import dht.peer.batch.Batch.Asked;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BatchTest {
    private static final int BODY_MAX = 2000;

    private static PeerCall question(EntityRequest request, long timestampMicros) {
        return new PeerCall(null, request, timestampMicros, _ -> {});
    }

    private static EntityRequest.Put put(byte[] key, byte[] value) {
        return new EntityRequest.Put(key, OwnedBytes.takeOver(value), null);
    }

    private static List<Asked> read(byte[] message) throws RequestException {
        return Batch.questions(OwnedBytes.takeOver(message), null);
    }

    private static MemorySegment segment(int bytes) {
        return MemorySegment.ofArray(new byte[bytes]);
    }

    @Test
    void questions_ofEachKind_arriveAsTheyWere() throws RequestException {
        byte[] longKey = bytes("k".repeat(1024));
        byte[] value = {0, -1, 10, 13};
        byte[] message =
                Batch.ofQuestions(
                        List.of(
                                question(new EntityRequest.Get(bytes("a"), null), 0),
                                question(put(longKey, value), 1700000000000000L),
                                question(put(bytes("b"), new byte[0]), 2),
                                question(new EntityRequest.Delete(bytes("c"), null), 3)));
        List<Asked> asked = read(message);
        assertThat(asked).extracting(each -> each.request().from()).containsOnly(0);
        assertThat(asked)
                .extracting(each -> each.request().getClass().getSimpleName())
                .containsExactly("Get", "Put", "Put", "Delete");
        assertThat(asked)
                .extracting(Asked::timestampMicros)
                .containsExactly(0L, 1_700_000_000_000_000L, 2L, 3L);
        assertThat(asked)
                .extracting(each -> each.request().key())
                .containsExactly(bytes("a"), longKey, bytes("b"), bytes("c"));
        EntityRequest.Put put = (EntityRequest.Put) asked.get(1).request();
        assertThat(put.value().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(value);
        assertThat(((EntityRequest.Put) asked.get(2).request()).value().byteSize()).isZero();
    }

    @Test
    void writes_ofVersionsThatSomeNodesHold_sayHowMany() throws RequestException {
        byte[] message =
                Batch.ofQuestions(
                        List.of(
                                question(put(bytes("a"), new byte[] {7}).withFrom(2), 1),
                                question(put(bytes("b"), new byte[] {8}), 2),
                                question(
                                        new EntityRequest.Delete(bytes("c"), null).withFrom(255),
                                        3)));
        List<Asked> asked = read(message);
        assertThat(asked).extracting(each -> each.request().from()).containsExactly(2, 0, 255);
        assertThat(asked).extracting(Asked::timestampMicros).containsExactly(1L, 2L, 3L);
        assertThat(asked)
                .extracting(each -> each.request().key())
                .containsExactly(bytes("a"), bytes("b"), bytes("c"));
    }

    @Test
    void message_withoutQuestions_isRefused() {
        assertThatThrownBy(() -> read(new byte[0])).isInstanceOf(RequestException.class);
    }

    @Test
    void message_ofTooManyQuestions_isRefused() throws RequestException {
        PeerCall question = question(new EntityRequest.Get(bytes("a"), null), 0);
        List<PeerCall> most = Collections.nCopies(Batch.SIZE_MAX, question);
        List<PeerCall> tooMany = Collections.nCopies(Batch.SIZE_MAX + 1, question);
        assertThat(read(Batch.ofQuestions(most))).hasSize(Batch.SIZE_MAX);
        assertThatThrownBy(() -> read(Batch.ofQuestions(tooMany)))
                .isInstanceOf(RequestException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void message_thatBreaksOffAnywhere_isRefused(int from) {
        EntityRequest put = put(bytes("key"), bytes("value")).withFrom(from);
        byte[] message = Batch.ofQuestions(List.of(question(put, 9)));
        for (int length = 0; length < message.length; length++) {
            byte[] part = Arrays.copyOf(message, length);
            assertThatThrownBy(() -> read(part)).isInstanceOf(RequestException.class);
        }
    }

    /** In each question, one field is wrong. */
    @ParameterizedTest
    @CsvSource({
        "X, , 1, 1, 0", // Of an unknown kind,
        "g, 1, 0, 1, 0", // a read of a version that some nodes hold,
        "G, , 0, 1, 1", // a read with a value,
        "G, , -1, 1, 0", // or of a stamp that nobody gives,
        "D, , 1, 1, 1", // a deletion with a value,
        "d, 1, 1, 1, 1",
        "P, , 0, 1, 1", // a write without a stamp,
        "P, , -1, 1, 1",
        "P, , 1, 0, 1", // without a key,
        "P, , 1, 1025, 1", // with a key that is too long,
        "p, 0, 1, 1, 1", // or of a version that no node holds.
    })
    void question_thatNoNodeAsks_isRefused(
            char kind, Byte from, long timestampMicros, int keyBytes, int valueBytes) {
        ByteBuffer message = ByteBuffer.allocate(16 + keyBytes + valueBytes);
        message.put((byte) kind);
        if (from != null) {
            message.put(from);
        }
        message.putLong(timestampMicros).putShort((short) keyBytes).putInt(valueBytes);
        int bytes = message.position() + keyBytes + valueBytes;
        assertThatThrownBy(() -> read(Arrays.copyOf(message.array(), bytes)))
                .isInstanceOf(RequestException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void message_withFlippedBytes_isReadOrRefused(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            byte[] message =
                    Batch.ofQuestions(
                            List.of(
                                    question(put(bytes("key"), bytes("value")), 9),
                                    question(new EntityRequest.Get(bytes("k"), null), 0)));
            for (int flips = random.nextInt(1, 4); flips > 0; flips--) {
                message[random.nextInt(message.length)] = (byte) random.nextInt();
            }
            try {
                assertThat(read(message)).isNotEmpty();
            } catch (RequestException e) {
                assertThat(e.response().status().code()).isEqualTo(400);
            } catch (RuntimeException e) {
                fail("seed=" + seed + " i=" + i, e);
            }
        }
    }

    @Test
    void answers_ofEachKind_arriveAsTheyWere() {
        Batch.Answers answers = new Batch.Answers(4);
        answers.add(200, 7, MemorySegment.ofArray(bytes("value")));
        answers.add(404, 0, segment(0));
        answers.alone();
        answers.add(200, 8, segment(10_000)); // More than there was room for at first.
        List<Answered> read = Batch.answers(answered(answers.toBytes()), 4);
        assertThat(read).extracting(Answered::status).containsExactly(200, 404, Batch.ALONE, 200);
        assertThat(read).extracting(Answered::timestampMicros).containsExactly(7L, 0L, 0L, 8L);
        assertThat(read.getFirst().body().toArray()).isEqualTo(bytes("value"));
        assertThat(read.getLast().body().byteSize()).isEqualTo(10_000);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, BODY_MAX, Batch.ANSWERS_BYTES_MAX / 2})
    void answers_thatAreMany_stayWithinTheirBound(int bodyBytes) {
        Batch.Answers answers = new Batch.Answers(Batch.SIZE_MAX);
        for (int i = 0; i < Batch.SIZE_MAX; i++) {
            if (answers.hasRoomFor(bodyBytes)) {
                answers.add(200, 1, segment(bodyBytes));
            } else {
                answers.alone();
            }
        }
        assertThat(answers.toBytes()).hasSizeLessThanOrEqualTo(Batch.ANSWERS_BYTES_MAX);
        assertThat(Batch.answers(answered(answers.toBytes()), Batch.SIZE_MAX))
                .hasSize(Batch.SIZE_MAX);
    }

    @Test
    void answer_thatFillsTheMessage_hasRoom() {
        Batch.Answers answers = new Batch.Answers(3);
        answers.add(200, 1, segment(BODY_MAX));
        int heads = 3 * (2 + 8 + 4);
        int rest = Batch.ANSWERS_BYTES_MAX - heads - BODY_MAX;
        assertThat(answers.hasRoomFor(rest + 1)).isFalse();
        assertThat(answers.hasRoomFor(rest)).isTrue();
        answers.add(200, 1, segment(rest));
        assertThat(answers.hasRoomFor(0)).isTrue();
        answers.alone();
        assertThat(answers.toBytes()).hasSize(Batch.ANSWERS_BYTES_MAX);
    }

    @Test
    void answers_thatAreTooFewOrTooMany_areNone() {
        Batch.Answers answers = new Batch.Answers(1);
        answers.add(200, 1, segment(3));
        byte[] message = answers.toBytes();
        assertThat(Batch.answers(answered(message), 2)).isNull();
        assertThat(Batch.answers(answered(Arrays.copyOf(message, message.length + 1)), 1)).isNull();
        assertThat(Batch.answers(answered(Arrays.copyOf(message, message.length - 1)), 1)).isNull();
    }

    private static Answered answered(byte[] body) {
        return new Answered(200, 0, OwnedBytes.takeOver(body), () -> {});
    }
}
