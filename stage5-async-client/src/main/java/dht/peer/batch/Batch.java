package dht.peer.batch;

import dht.http.EntityRequest;
import dht.http.HttpRequest;
import dht.http.OwnedBytes;
import dht.http.RequestException;
import dht.http.Status;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerCall;
import dht.peer.async.AnswerBody;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The format of a message with several questions, and of the message with their answers in the same
 * order: {@code PUT }{@value #PATH}. Numbers are big-endian. A stamp of 0 means that there is none.
 * Stateless and thread-safe.
 *
 * <pre>
 *   question   kind 1 ('G', 'P', 'D') | stamp 8 | key length 2 | value length 4 | key | value
 *              kind 1 ('p', 'd') | from 1 | stamp 8 | ...
 *   answer     status 2 | stamp 8 | body length 4 | body
 * </pre>
 *
 * A small letter marks a write that says how many nodes hold the version ({@code from}).
 *
 * <p>An answer with status {@value #ALONE} says that the real answer is too large to share a
 * message. The question must be sent again, alone.
 */
public final class Batch {
    public static final String PATH = "/internal/v0/entities/batch";

    /** The status that means: send this question again, alone. */
    public static final int ALONE = 0;

    /**
     * The size limit for all answers to a batch. An answer that does not fit becomes {@link
     * #ALONE}.
     */
    public static final int ANSWERS_BYTES_MAX = AnswerBody.SMALL_BYTES_MAX;

    /** The largest number of questions in a message. */
    public static final int SIZE_MAX = 1024;

    /** The longest key that a client may use. */
    private static final int KEY_BYTES_MAX = 1024;

    private static final int KIND_BYTES = Byte.BYTES;
    private static final int FROM_BYTES = Byte.BYTES;
    private static final int STAMP_BYTES = Long.BYTES;
    private static final int KEY_LENGTH_BYTES = Short.BYTES;
    private static final int VALUE_LENGTH_BYTES = Integer.BYTES;
    private static final int STATUS_BYTES = Short.BYTES;
    private static final int BODY_LENGTH_BYTES = Integer.BYTES;

    private static final int QUESTION_HEAD_BYTES =
            KIND_BYTES + STAMP_BYTES + KEY_LENGTH_BYTES + VALUE_LENGTH_BYTES;
    private static final int ANSWER_HEAD_BYTES = STATUS_BYTES + STAMP_BYTES + BODY_LENGTH_BYTES;

    private Batch() {}

    /** A question that was received. */
    public record Asked(EntityRequest request, long timestampMicros) {}

    static byte[] ofQuestions(List<PeerCall> questions) {
        int bytes = 0;
        for (PeerCall question : questions) {
            bytes += QUESTION_HEAD_BYTES + (question.request().from() == 0 ? 0 : FROM_BYTES);
            bytes += question.request().key().length;
            bytes += (int) question.request().valueBytes();
        }
        ByteBuffer message = ByteBuffer.allocate(bytes);
        for (PeerCall question : questions) {
            write(question, message);
        }
        return message.array();
    }

    private static void write(PeerCall question, ByteBuffer message) {
        byte[] key = question.request().key();
        int from = question.request().from();
        if (from == 0) {
            message.put(kind(question.request()));
        } else {
            message.put((byte) Character.toLowerCase(kind(question.request())));
            message.put((byte) from);
        }
        message.putLong(question.timestampMicros());
        message.putShort((short) key.length);
        message.putInt((int) question.request().valueBytes());
        message.put(key);
        if (question.request() instanceof EntityRequest.Put put) {
            MemorySegment place = MemorySegment.ofArray(message.array());
            MemorySegment.copy(put.value(), 0, place, message.position(), put.value().byteSize());
            message.position(message.position() + (int) put.value().byteSize());
        }
    }

    private static byte kind(EntityRequest request) {
        return switch (request) {
            case EntityRequest.Get _ -> 'G';
            case EntityRequest.Put _ -> 'P';
            case EntityRequest.Delete _ -> 'D';
        };
    }

    /**
     * Parses the questions in a message.
     *
     * @param http the HTTP request that contained the message
     * @throws RequestException if the message is malformed
     */
    public static List<Asked> questions(OwnedBytes body, HttpRequest http) throws RequestException {
        ByteBuffer message = body.segment().asByteBuffer().order(ByteOrder.BIG_ENDIAN);
        List<Asked> questions = new ArrayList<>();
        while (message.hasRemaining() && questions.size() < SIZE_MAX) {
            questions.add(question(message, body, http));
        }
        if (questions.isEmpty() || message.hasRemaining()) {
            throw RequestException.badRequest("batch: not 1 to " + SIZE_MAX + " questions");
        }
        return questions;
    }

    private static Asked question(ByteBuffer message, OwnedBytes body, HttpRequest http)
            throws RequestException {
        require(message.remaining() >= QUESTION_HEAD_BYTES, message);
        int kind = message.get();
        int from = Character.isLowerCase(kind) ? Byte.toUnsignedInt(message.get()) : 0;
        require(message.remaining() >= QUESTION_HEAD_BYTES - KIND_BYTES, message);
        long timestampMicros = message.getLong();
        int keyLength = Short.toUnsignedInt(message.getShort());
        int valueLength = message.getInt();
        require(timestampMicros >= 0 && keyLength >= 1 && keyLength <= KEY_BYTES_MAX, message);
        require(valueLength >= 0 && valueLength <= message.remaining() - keyLength, message);
        byte[] key = new byte[keyLength];
        message.get(key);
        OwnedBytes value = body.slice(message.position(), valueLength);
        message.position(message.position() + valueLength);
        require(kind == 'P' || kind == 'p' || valueLength == 0, message);
        require(from > 0 || !Character.isLowerCase(kind), message);
        EntityRequest request =
                switch (kind) {
                    case 'G' -> new EntityRequest.Get(key, http);
                    case 'P', 'p' -> new EntityRequest.Put(key, value, http, from);
                    case 'D', 'd' -> new EntityRequest.Delete(key, http, from);
                    default -> throw malformed(message);
                };
        require(kind == 'G' || timestampMicros > 0, message);
        return new Asked(request, timestampMicros);
    }

    private static void require(boolean isWellFormed, ByteBuffer message) throws RequestException {
        if (!isWellFormed) {
            throw malformed(message);
        }
    }

    private static RequestException malformed(ByteBuffer message) {
        return RequestException.badRequest(
                "batch: malformed question at or before offset=" + message.position());
    }

    /** Writes the answers to a batch. Not thread-safe. */
    public static final class Answers {
        private static final byte[] EMPTY = {};

        private ByteBuffer message = ByteBuffer.allocate(4 << 10);
        private int remaining;

        /**
         * @param count the number of questions
         */
        public Answers(int count) {
            remaining = count;
        }

        /**
         * Whether there is room for an answer with a body of this size, plus the heads of all
         * remaining answers. If not, the caller must use {@link #alone}.
         */
        public boolean hasRoomFor(long bodyBytes) {
            long headBytes = (long) remaining * ANSWER_HEAD_BYTES;
            return message.position() + headBytes + bodyBytes <= ANSWERS_BYTES_MAX;
        }

        /**
         * @param body empty, or one for which {@link #hasRoomFor} is true
         */
        public void add(int status, long timestampMicros, MemorySegment body) {
            remaining--;
            int bodyBytes = (int) body.byteSize();
            reserve(ANSWER_HEAD_BYTES + bodyBytes);
            message.putShort((short) status).putLong(timestampMicros).putInt(bodyBytes);
            MemorySegment.copy(
                    body, 0, MemorySegment.ofArray(message.array()), message.position(), bodyBytes);
            message.position(message.position() + bodyBytes);
        }

        /**
         * Adds an answer with status {@link #ALONE}: the real answer is too large to share a
         * message.
         */
        public void alone() {
            add(ALONE, 0, MemorySegment.ofArray(EMPTY));
        }

        private void reserve(int bytes) {
            if (message.remaining() < bytes) {
                int capacity = Math.max(2 * message.capacity(), message.position() + bytes);
                message = ByteBuffer.allocate(capacity).put(message.flip());
            }
        }

        public byte[] toBytes() {
            byte[] bytes = new byte[message.position()];
            message.get(0, bytes);
            return bytes;
        }
    }

    /**
     * Parses the answers in a message. The answers have no holds of their own: their memory is
     * released with the message.
     *
     * @return null if the status of the message is not 200, or if the message is not exactly this
     *     number of well-formed answers
     */
    static List<Answered> answers(Answered message, int count) {
        if (message.status() != Status.OK.code()) {
            return null;
        }
        ByteBuffer bytes = message.body().segment().asByteBuffer().order(ByteOrder.BIG_ENDIAN);
        List<Answered> answers = new ArrayList<>(count);
        while (bytes.remaining() >= ANSWER_HEAD_BYTES && answers.size() < count) {
            int status = Short.toUnsignedInt(bytes.getShort());
            long timestampMicros = bytes.getLong();
            int length = bytes.getInt();
            if (length < 0 || length > bytes.remaining()) {
                return null;
            }
            OwnedBytes body = message.body().slice(bytes.position(), length);
            answers.add(new Answered(status, timestampMicros, body, () -> {}));
            bytes.position(bytes.position() + length);
        }
        return answers.size() == count && !bytes.hasRemaining() ? answers : null;
    }
}
