package dht.testkit.http;

import dht.testkit.transcript.Mismatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** The status line and the headers of an answer. Immutable. */
public record ResponseHead(String version, int status, String reason, List<Header> headers) {
    private static final Pattern STATUS_LINE =
            Pattern.compile("(HTTP/1\\.[01]) ([1-5]\\d\\d)(?: (.*))?");
    private static final int HEADERS_MAX = 100;

    /** One header line. The case of the name has no meaning. */
    public record Header(String name, String value) {}

    static ResponseHead read(Incoming in) {
        var line = in.line();
        var parts = STATUS_LINE.matcher(line);
        if (!parts.matches()) {
            throw new Mismatch("a status line such as 'HTTP/1.1 200 OK'", "'" + line + "'");
        }
        var reason = Optional.ofNullable(parts.group(3)).orElse("");
        return new ResponseHead(
                parts.group(1), Integer.parseInt(parts.group(2)), reason, readHeaders(in));
    }

    private static List<Header> readHeaders(Incoming in) {
        var headers = new ArrayList<Header>();
        for (var line = in.line(); !line.isEmpty(); line = in.line()) {
            var colon = line.indexOf(':');
            if (colon < 1 || headers.size() == HEADERS_MAX) {
                throw new Mismatch(
                        "at most %d headers 'name: value'".formatted(HEADERS_MAX),
                        "'" + line + "'");
            }
            headers.add(new Header(line.substring(0, colon), line.substring(colon + 1).strip()));
        }
        return List.copyOf(headers);
    }

    /**
     * The value of a header; empty if there is none.
     *
     * @throws Mismatch if the header occurs more than once
     */
    public Optional<String> header(String name) {
        var values =
                headers.stream()
                        .filter(header -> header.name().equalsIgnoreCase(name))
                        .map(Header::value)
                        .toList();
        if (values.size() > 1) {
            throw new Mismatch("one header " + name, values.size() + " of them: " + values);
        }
        return values.stream().findFirst();
    }

    boolean isInterim() {
        return status < 200;
    }

    boolean isChunked() {
        return header("Transfer-Encoding")
                .map(value -> value.toLowerCase(Locale.ROOT))
                .equals(Optional.of("chunked"));
    }

    /** Whether the server announces that it closes the connection after this answer. */
    boolean announcesClose() {
        return header("Connection").filter("close"::equalsIgnoreCase).isPresent();
    }

    boolean hasNoBody() {
        return isInterim() || status == 204 || status == 304;
    }
}
