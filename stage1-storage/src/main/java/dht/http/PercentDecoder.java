package dht.http;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Decodes the percent-encoded value of a query parameter. A {@code +} stays a plus sign. Stateless
 * and thread-safe.
 */
final class PercentDecoder {
    private PercentDecoder() {}

    /**
     * Decodes {@code [start, end)}.
     *
     * @param name the parameter's name, for messages
     * @throws RequestException if the encoding is malformed, or the decoded bytes are not UTF-8
     */
    static byte[] decode(String name, byte[] encoded, int start, int end) throws RequestException {
        byte[] decoded = new byte[end - start];
        int length = 0;
        boolean isAscii = true;
        for (int i = start; i < end; i++) {
            byte b = encoded[i];
            if (b == '%') {
                b = (byte) unescape(name, encoded, i, end);
                i += 2;
            }
            isAscii &= b >= 0;
            decoded[length++] = b;
        }
        byte[] value = length == decoded.length ? decoded : Arrays.copyOf(decoded, length);
        if (!isAscii) {
            checkUtf8(name, value);
        }
        return value;
    }

    private static int unescape(String name, byte[] encoded, int percent, int end)
            throws RequestException {
        if (percent + 2 < end) {
            int high = Character.digit(encoded[percent + 1], 16);
            int low = Character.digit(encoded[percent + 2], 16);
            if (high >= 0 && low >= 0) {
                return high << 4 | low;
            }
        }
        throw RequestException.badRequest(
                name + ": a percent sign must be followed by two hexadecimal digits");
    }

    private static void checkUtf8(String name, byte[] value) throws RequestException {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value));
        } catch (CharacterCodingException e) {
            throw RequestException.badRequest(name + ": not UTF-8");
        }
    }
}
