package dht.testkit.http;

import java.nio.charset.StandardCharsets;

/** Percent-encoding of keys by RFC 3986. Stateless. */
public final class Percent {
    private static final String UNRESERVED = "-._~";

    private Percent() {}

    /** Encodes every UTF-8 byte except letters, digits and {@code -._~}. */
    public static String encode(String text) {
        var out = new StringBuilder(text.length());
        for (var b : text.getBytes(StandardCharsets.UTF_8)) {
            if (isUnreserved(b)) {
                out.append((char) b);
            } else {
                appendEncoded(out, b);
            }
        }
        return out.toString();
    }

    /** Encodes every UTF-8 byte, also where that is not necessary. */
    public static String encodeAll(String text) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        var out = new StringBuilder(bytes.length * 3);
        for (var b : bytes) {
            appendEncoded(out, b);
        }
        return out.toString();
    }

    private static void appendEncoded(StringBuilder out, byte b) {
        out.append('%').append(hex(b >> 4)).append(hex(b));
    }

    private static char hex(int nibble) {
        return Character.toUpperCase(Character.forDigit(nibble & 0xf, 16));
    }

    private static boolean isUnreserved(byte b) {
        return (b >= 'a' && b <= 'z')
                || (b >= 'A' && b <= 'Z')
                || (b >= '0' && b <= '9')
                || UNRESERVED.indexOf(b) >= 0;
    }
}
