package dht.testkit.tiny;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The parsed head of a request. Immutable. */
record TinyRequest(String method, String path, String query, boolean http10, List<String> headers) {
    /** A fault in a request, with the status of its answer. */
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
        var headers = lines.subList(1, lines.size());
        for (var header : headers) {
            checkHeader(header);
        }
        var target = words[1].replaceFirst("^(?i:http)://[^/?]+", "");
        var question = target.indexOf('?');
        var path = question < 0 ? target : target.substring(0, question);
        var query = question < 0 ? "" : target.substring(question + 1);
        var http10 = words[2].endsWith("0");
        return new TinyRequest(words[0], path, query, http10, headers);
    }

    static void checkHeader(String line) throws Fault {
        if (!line.matches("[!-9;-~]+:.*")) {
            throw new Fault(400, "malformed header line");
        }
    }

    /** The values of a header, in lower case. */
    List<String> values(String name) {
        return headers.stream()
                .filter(line -> line.indexOf(':') > 0)
                .filter(line -> line.substring(0, line.indexOf(':')).equalsIgnoreCase(name))
                .map(line -> line.substring(line.indexOf(':') + 1).strip().toLowerCase(Locale.ROOT))
                .toList();
    }

    boolean asksToClose() {
        return values("Connection").contains("close");
    }

    boolean expectsContinue() {
        return values("Expect").contains("100-continue");
    }

    boolean isGivenTwice(String parameter) {
        return Stream.of(query.split("&", -1))
                        .filter(pair -> pair.split("=", -1)[0].equals(parameter))
                        .count()
                > 1;
    }

    /** The value of a parameter as it was sent. */
    Optional<String> parameter(String name) {
        return List.of(query.split("&", -1)).stream()
                .filter(pair -> pair.startsWith(name + "="))
                .map(pair -> pair.substring(name.length() + 1))
                .findFirst();
    }
}
