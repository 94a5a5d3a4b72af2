package dht.testkit.hostile;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.testkit.http.Target;
import java.util.Arrays;

/** What a hostile client does with its connection. */
public enum HostileKind {
    /** Asks for a value several times in one write, and never reads. */
    UNREAD_ANSWERS("send requests and never read") {
        @Override
        byte[] opening(String key) {
            return get(Target.entity(key)).repeat(PIPELINED).getBytes(ISO_8859_1);
        }
    },

    /** Sends {@value #HEAD_BYTES} bytes of a head that does not end. */
    UNENDED_HEADS("send a head without its end") {
        @Override
        byte[] opening(String key) {
            var begun = get(Target.STATUS);
            var bytes = new byte[HEAD_BYTES];
            Arrays.fill(bytes, (byte) 'a');
            var line = begun.substring(0, begun.length() - 2) + "A: "; // Without the empty line.
            System.arraycopy(line.getBytes(ISO_8859_1), 0, bytes, 0, line.length());
            return bytes;
        }
    },

    /** Announces a body of {@value #BODY_BYTES} bytes, and sends a byte of it now and then. */
    TRICKLED_BODIES("send a byte of a body now and then") {
        @Override
        byte[] opening(String key) {
            var head =
                    "PUT %s HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n"
                            .formatted(Target.entity(key), BODY_BYTES);
            return head.getBytes(ISO_8859_1);
        }
    };

    /** A little less than the default limit of a server for a head. */
    static final int HEAD_BYTES = (16 << 10) - 64;

    static final int BODY_BYTES = 1 << 20;

    /** Their answers together are more than the buffers of a connection take. */
    private static final int PIPELINED = 4;

    private final String description;

    HostileKind(String description) {
        this.description = description;
    }

    /** What the clients do, such as {@code send requests and never read}. */
    public String description() {
        return description;
    }

    /**
     * What a client sends at once.
     *
     * @param key of a large value, or of the value that is written
     */
    abstract byte[] opening(String key);

    /**
     * How many connections that have ended are opened again in a second. A server ends most of them
     * after some seconds, and thousands are to be open all the time. But each of those that do not
     * read gets some large answers: many in a second would be an overload, which is another fault.
     */
    int againPerSecond() {
        return isReading() ? 1000 : 50;
    }

    /** Whether the client reads what the server sends. */
    boolean isReading() {
        return this != UNREAD_ANSWERS;
    }

    private static String get(String target) {
        return "GET %s HTTP/1.1\r\nHost: h\r\n\r\n".formatted(target);
    }
}
