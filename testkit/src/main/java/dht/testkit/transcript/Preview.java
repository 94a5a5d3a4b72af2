package dht.testkit.transcript;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Shortens bytes and texts so that they fit into a line of a transcript. Stateless. */
public final class Preview {
    private static final int BYTES_MAX = 48;
    private static final int TARGET_CHARS_MAX = 160;

    private Preview() {}

    /**
     * Bytes as text, for example {@code 5 bytes "hello"}. A byte that is not printable ASCII is
     * shown as {@code \xff}.
     */
    public static String of(byte[] bytes) {
        if (bytes.length == 0) {
            return "no bytes";
        }
        var shown = escape(Arrays.copyOf(bytes, Math.min(bytes.length, BYTES_MAX)));
        var ellipsis = bytes.length > BYTES_MAX ? "..." : "";
        return "%,d byte%s \"%s\"%s"
                .formatted(bytes.length, bytes.length == 1 ? "" : "s", shown, ellipsis);
    }

    /** A text, without its middle if it is long. */
    public static String ofText(String text) {
        if (text.length() <= TARGET_CHARS_MAX) {
            return text;
        }
        var head = text.substring(0, TARGET_CHARS_MAX * 3 / 4);
        var tail = text.substring(text.length() - TARGET_CHARS_MAX / 8);
        return "%s...(%,d more)...%s"
                .formatted(head, text.length() - head.length() - tail.length(), tail);
    }

    /**
     * All bytes as text, with {@code \n}, {@code \r} or {@code \xff} for those that a terminal does
     * not show.
     */
    public static String escape(byte[] bytes) {
        var out = new StringBuilder(bytes.length);
        for (var b : bytes) {
            switch (b) {
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '"', '\\' -> out.append('\\').append((char) b);
                default -> appendPlain(out, b);
            }
        }
        return out.toString();
    }

    private static void appendPlain(StringBuilder out, byte b) {
        if (b >= ' ' && b < 0x7f) {
            out.append((char) b);
        } else {
            out.append("\\x%02x".formatted(b));
        }
    }

    static boolean isPlain(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1)
                .chars()
                .allMatch(c -> c >= ' ' && c < 0x7f && c != '\'');
    }
}
