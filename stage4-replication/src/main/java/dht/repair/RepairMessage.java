package dht.repair;

import dht.http.RequestException;
import dht.repair.VersionTree.Known;
import dht.repair.VersionTree.Page;
import dht.repair.VersionTree.Part;
import dht.repair.VersionTree.Verdict;
import dht.storage.Dao;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The format of the messages with which two nodes compare their versions. The node that compares
 * sends questions with PUT; the other node answers. Numbers are big-endian. An empty key means that
 * a range has no limit at that end.
 *
 * <pre>
 *   head      format 1 | index of the asking node 2 | stamp before which tombstones are ignored 8
 *   key       length 2 | bytes
 *
 *   {@value #DIGESTS}:
 *   question  head | count 2 | first key | (key after the part | count 4 | cost 4 | sum 16) ...
 *   answer    one byte for each part: 0 same, 1 different, 2 empty
 *
 *   {@value #VERSIONS}:
 *   question  head | first key | key after the range
 *   answer    key after the versions | count 4 | (from 1 | stamp 8 | hash 8 | key) ...
 * </pre>
 *
 * Described in docs/reference/http.md. Stateless and thread-safe.
 */
final class RepairMessage {
    static final String DIGESTS = "/internal/v0/repair/digests";
    static final String VERSIONS = "/internal/v0/repair/versions";

    /** The size of a version in a message, without the bytes of its key. */
    static final int KNOWN_BYTES_MIN = 1 + 2 * Long.BYTES + Short.BYTES;

    private static final byte FORMAT = 1;
    private static final int HEAD_BYTES = 1 + Short.BYTES + Long.BYTES;

    private RepairMessage() {}

    /** The beginning of each question. */
    record Head(int asker, long forgottenMicros) {
        private void write(ByteBuffer message) {
            message.put(FORMAT).putShort((short) asker).putLong(forgottenMicros);
        }

        static Head read(ByteBuffer message) throws RequestException {
            require(message.get() == FORMAT);
            return new Head(message.getShort(), message.getLong());
        }
    }

    static byte[] ofParts(Head head, List<Part> parts) {
        byte[] from = parts.getFirst().range().from();
        int bytes = HEAD_BYTES + 2 * Short.BYTES + from.length;
        for (Part part : parts) {
            bytes += Short.BYTES + part.range().to().length + Digest.BYTES;
        }
        ByteBuffer message = ByteBuffer.allocate(bytes);
        head.write(message);
        message.putShort((short) parts.size());
        write(from, message);
        for (Part part : parts) {
            write(part.range().to(), message);
            part.digest().write(message);
        }
        return message.array();
    }

    static List<Part> parts(ByteBuffer message) throws RequestException {
        int count = message.getShort();
        require(count >= 1 && count <= VersionTree.FAN_OUT);
        List<Part> parts = new ArrayList<>();
        byte[] from = key(message);
        for (int i = 0; i < count; i++) {
            byte[] to = key(message);
            parts.add(new Part(new KeyRange(from, to), Digest.read(message)));
            from = to;
        }
        return parts;
    }

    static byte[] ofVerdicts(List<Verdict> verdicts) {
        byte[] message = new byte[verdicts.size()];
        for (int i = 0; i < message.length; i++) {
            message[i] = (byte) verdicts.get(i).ordinal();
        }
        return message;
    }

    static List<Verdict> verdicts(byte[] message, int count) throws RequestException {
        require(message.length == count);
        List<Verdict> verdicts = new ArrayList<>();
        for (byte verdict : message) {
            require(verdict >= 0 && verdict < Verdict.values().length);
            verdicts.add(Verdict.values()[verdict]);
        }
        return verdicts;
    }

    static byte[] ofRange(Head head, KeyRange range) {
        int bytes = HEAD_BYTES + 2 * Short.BYTES + range.from().length + range.to().length;
        ByteBuffer message = ByteBuffer.allocate(bytes);
        head.write(message);
        write(range.from(), message);
        write(range.to(), message);
        return message.array();
    }

    static KeyRange range(ByteBuffer message) throws RequestException {
        return new KeyRange(key(message), key(message));
    }

    static byte[] ofPage(Page page) {
        int bytes = Short.BYTES + page.to().length + Integer.BYTES;
        for (Known version : page.versions()) {
            bytes += KNOWN_BYTES_MIN + version.key().length;
        }
        ByteBuffer message = ByteBuffer.allocate(bytes);
        write(page.to(), message);
        message.putInt(page.versions().size());
        for (Known version : page.versions()) {
            message.put((byte) version.from());
            message.putLong(version.timestampMicros()).putLong(version.contentHash());
            write(version.key(), message);
        }
        return message.array();
    }

    static Page page(ByteBuffer message) throws RequestException {
        byte[] to = key(message);
        int count = message.getInt();
        require(count >= 0 && count <= message.remaining() / KNOWN_BYTES_MIN);
        List<Known> versions = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int from = Byte.toUnsignedInt(message.get());
            long timestampMicros = message.getLong();
            long contentHash = message.getLong();
            versions.add(new Known(key(message), from, timestampMicros, contentHash));
        }
        return new Page(versions, to);
    }

    private static void write(byte[] key, ByteBuffer message) {
        message.putShort((short) key.length).put(key);
    }

    private static byte[] key(ByteBuffer message) throws RequestException {
        int length = message.getShort();
        require(length >= 0 && length < Dao.MAX_KEY_BYTES && length <= message.remaining());
        byte[] key = new byte[length];
        message.get(key);
        return key;
    }

    private static void require(boolean isSo) throws RequestException {
        if (!isSo) {
            throw RequestException.badRequest("repair: the message is malformed");
        }
    }

    /** Parses a message. */
    @FunctionalInterface
    interface Parser<T> {
        T parse(ByteBuffer message) throws RequestException;
    }

    /** Parses a message, which may be cut off. */
    static <T> T parse(ByteBuffer message, Parser<T> parser) throws RequestException {
        try {
            return parser.parse(message);
        } catch (BufferUnderflowException _) {
            throw RequestException.badRequest("repair: the message is cut off");
        }
    }
}
