package dht.http;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Reads what a {@link RequestException} tells the client. Stateless and thread-safe. */
public final class Refusal {
    private Refusal() {}

    /** The line of text in the answer. */
    public static String line(RequestException refused) {
        String answer = new String(refused.response().encode(Persistence.IMPLIED, true), UTF_8);
        return answer.substring(answer.indexOf("\r\n\r\n")).strip();
    }
}
