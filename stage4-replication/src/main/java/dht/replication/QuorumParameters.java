package dht.replication;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.http.HttpRequest;
import dht.http.RequestException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the quorum that a request asks for, as {@code replicas=ack/from} or as {@code
 * ack=A&from=F}. The default of {@code from} is the number of nodes; the default of {@code ack} is
 * the smallest number that is more than half of {@code from}.
 *
 * <p>Immutable and thread-safe.
 */
public final class QuorumParameters {
    private static final Pattern REPLICAS = Pattern.compile("(\\d{1,9})/(\\d{1,9})");
    private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");

    private final int nodeCount;
    private final Quorum usual;

    public QuorumParameters(int nodeCount) {
        this.nodeCount = nodeCount;
        this.usual = Quorum.majorityOf(nodeCount);
    }

    /**
     * @throws RequestException with one line that says what is wrong
     */
    public Quorum of(HttpRequest http) throws RequestException {
        return of(http.parameter("replicas"), http.parameter("ack"), http.parameter("from"));
    }

    /** Reads the quorum from the parameters' values; a missing parameter is null. */
    Quorum of(byte[] replicas, byte[] ack, byte[] from) throws RequestException {
        if (replicas == null && ack == null && from == null) {
            return usual;
        }
        if (replicas == null) {
            return ofNumbers(ack, from);
        }
        if (ack != null || from != null) {
            throw RequestException.badRequest("replicas: give either this, or ack and from");
        }
        return ofPair(text(replicas));
    }

    private Quorum ofPair(String replicas) throws RequestException {
        Matcher pair = REPLICAS.matcher(replicas);
        if (!pair.matches()) {
            throw RequestException.badRequest(
                    "replicas: must be ack/from in whole numbers, such as " + usual);
        }
        return checked(
                "replicas=" + replicas,
                Integer.parseInt(pair.group(1)),
                Integer.parseInt(pair.group(2)));
    }

    private Quorum ofNumbers(byte[] ack, byte[] from) throws RequestException {
        int fromNumber = from == null ? nodeCount : number("from", from);
        int ackNumber = ack == null ? fromNumber / 2 + 1 : number("ack", ack);
        return checked("ack=" + ackNumber + " from=" + fromNumber, ackNumber, fromNumber);
    }

    private static int number(String name, byte[] value) throws RequestException {
        String text = text(value);
        if (!NUMBER.matcher(text).matches()) {
            throw RequestException.badRequest(name + ": must be a whole number");
        }
        return Integer.parseInt(text);
    }

    /** Converts each byte to one character; only digits and a slash are accepted later. */
    private static String text(byte[] value) {
        return new String(value, ISO_8859_1);
    }

    private Quorum checked(String given, int ack, int from) throws RequestException {
        if (from > nodeCount) {
            throw RequestException.badRequest(
                    given + ": from must not exceed the number of nodes, " + nodeCount);
        }
        if (from < 1) {
            throw RequestException.badRequest(given + ": from must be at least 1");
        }
        if (ack < 1) {
            throw RequestException.badRequest(given + ": ack must be at least 1");
        }
        if (ack > from) {
            throw RequestException.badRequest(given + ": ack must not exceed from");
        }
        return new Quorum(ack, from);
    }
}
