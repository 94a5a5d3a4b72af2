package dht.peer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/** Writes a key as the value of a query parameter, percent-encoded. Stateless and thread-safe. */
public final class PercentEncoder {
    private static final byte[] HEX = "0123456789ABCDEF".getBytes(ISO_8859_1);

    private PercentEncoder() {}

    /**
     * Writes a key into {@code target}, beginning at {@code start}. Unreserved characters are
     * written as they are, all other bytes percent-encoded. Each byte of the key becomes at most
     * three bytes.
     *
     * @param target must have room for the encoded key
     * @return the index after the last byte written
     */
    public static int encode(byte[] key, byte[] target, int start) {
        int end = start;
        for (byte b : key) {
            if (isUnreserved(b)) {
                target[end++] = b;
            } else {
                target[end++] = '%';
                target[end++] = HEX[(b & 0xff) >>> 4];
                target[end++] = HEX[b & 0xf];
            }
        }
        return end;
    }

    private static boolean isUnreserved(byte b) {
        return b >= 'a' && b <= 'z'
                || b >= 'A' && b <= 'Z'
                || b >= '0' && b <= '9'
                || b == '-'
                || b == '.'
                || b == '_'
                || b == '~';
    }
}
