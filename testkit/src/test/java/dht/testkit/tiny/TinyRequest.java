package dht.testkit.tiny;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The head of a request, taken apart. Immutable. */
record TinyRequest(String method, String path, String query, boolean http10, List<String> headers) {
    private static final long NUMBER_DIGITS_MAX = 19;

    /** A fault to be answered. */
    static final class Fault extends Exception {
        private static final long serialVersionUID = 1L;
        final int status;

        Fault(int status, String message) {
            super(message);
            this.status = status;
        }
    }

    static TinyRequest parse(List<String> lines) throws Fault {
        var words = lines.getFirst().split(" ", -1);
        if (words.length != 3
                || !words[0].matches("[A-Z]+")
                || !words[2].matches("HTTP/1\\.[01]")) {
            throw new Fault(400, "this is no HTTP/1.1");
        }
        var question = words[1].indexOf('?');
        var path = question < 0 ? words[1] : words[1].substring(0, question);
        var query = question < 0 ? "" : words[1].substring(question + 1);
        return new TinyRequest(
                words[0],
                path,
                query,
                words[2].endsWith("0"),
                List.copyOf(lines.subList(1, lines.size())));
    }

    Optional<String> header(String name) throws Fault {
        var values = new ArrayList<String>();
        for (var line : headers) {
            var colon = line.indexOf(':');
            if (colon > 0 && line.substring(0, colon).equalsIgnoreCase(name)) {
                values.add(line.substring(colon + 1).strip().toLowerCase(Locale.ROOT));
            }
        }
        if (values.stream().distinct().count() > 1) {
            throw new Fault(400, name + " is given twice");
        }
        return values.stream().findFirst();
    }

    long contentLength() throws Fault {
        var length = header("Content-Length");
        if (header("Transfer-Encoding").isPresent()) {
            throw new Fault(length.isPresent() ? 400 : 411, "chunked bodies are not taken");
        }
        if (length.isEmpty()) {
            return 0;
        }
        if (!length.get().matches("[0-9]+")) {
            throw new Fault(400, "Content-Length is no number");
        }
        return length.get().length() > NUMBER_DIGITS_MAX
                ? Long.MAX_VALUE
                : Long.parseLong(length.get());
    }

    boolean keepsAlive() throws Fault {
        return !http10 && !header("Connection").equals(Optional.of("close"));
    }

    /** The value of a parameter as it was sent. */
    Optional<String> parameter(String name) {
        for (var pair : query.split("&")) {
            if (pair.startsWith(name + "=")) {
                return Optional.of(pair.substring(name.length() + 1));
            }
        }
        return Optional.empty();
    }

    static String decode(String encoded) throws Fault {
        var out = new ByteArrayOutputStream();
        for (var i = 0; i < encoded.length(); i++) {
            var c = encoded.charAt(i);
            if (c != '%') {
                out.write(c);
                continue;
            }
            if (i + 3 > encoded.length()
                    || !encoded.substring(i + 1, i + 3).matches("[0-9a-fA-F]{2}")) {
                throw new Fault(400, "malformed percent-encoding");
            }
            out.write(HexFormat.fromHexDigits(encoded, i + 1, i + 3));
            i += 2;
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(out.toByteArray()))
                    .toString();
        } catch (CharacterCodingException _) {
            throw new Fault(400, "malformed UTF-8");
        }
    }
}
