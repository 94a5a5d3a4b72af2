package dht.testkit.transcript;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Writes requests as shell commands, so that a reader can repeat them. Stateless. */
public final class ShellLine {
    private static final int TYPED_BODY_BYTES_MAX = 48;
    private static final int RAW_BYTES_MAX = 240;

    private ShellLine() {}

    /**
     * A {@code curl} command, for a request that curl can send.
     *
     * @param options such as {@code --http1.0}, or empty
     * @param headers as {@code name: value}
     * @param body null for none; a long body is replaced by the name of a file that says its size
     */
    public static String curl(
            String method,
            String options,
            URI base,
            String target,
            List<String> headers,
            byte[] body) {
        var line = new StringBuilder("curl -i");
        switch (method) {
            case "GET" -> {}
            case "HEAD" -> line.append(" --head");
            default -> line.append(" -X ").append(method);
        }
        if (!options.isEmpty()) {
            line.append(' ').append(options);
        }
        headers.forEach(header -> line.append(" -H ").append(quote(header)));
        var prefix = body == null ? "" : appendBody(line, body);
        return prefix + line.append(' ').append(quote(base + Preview.ofText(target)));
    }

    /** A {@code printf | nc} command, for bytes that curl cannot send. */
    public static String netcat(URI base, byte[] bytes) {
        var left = bytes.length - RAW_BYTES_MAX;
        var shown = left > 0 ? Arrays.copyOf(bytes, RAW_BYTES_MAX) : bytes;
        var ellipsis = left > 0 ? " (and %,d bytes more)".formatted(left) : "";
        var address = base.getHost() + " " + base.getPort();
        return "printf '%s'%s | nc %s".formatted(printf(shown), ellipsis, address);
    }

    private static String appendBody(StringBuilder line, byte[] body) {
        if (body.length > TYPED_BODY_BYTES_MAX) {
            line.append(" --data-binary @FILE-OF-").append(body.length).append("-BYTES");
            return "";
        }
        if (Preview.isPlain(body) && !(body.length > 0 && body[0] == '@')) {
            line.append(" --data-binary ")
                    .append(quote(new String(body, StandardCharsets.US_ASCII)));
            return "";
        }
        line.append(" --data-binary @-");
        return "printf '" + printf(body) + "' | ";
    }

    private static String quote(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    /** The bytes as a format for printf(1), for use between single quotes. */
    private static String printf(byte[] bytes) {
        var out = new StringBuilder(bytes.length * 2);
        for (var b : bytes) {
            switch (b) {
                case '\r' -> out.append("\\r");
                case '\n' -> out.append("\\n");
                case '\\' -> out.append("\\\\");
                case '%' -> out.append("%%");
                case '\'' -> out.append("'\\''");
                default ->
                        out.append(
                                b >= ' ' && b < 0x7f
                                        ? String.valueOf((char) b)
                                        : "\\%03o".formatted(b & 0xff));
            }
        }
        return out.toString();
    }
}
