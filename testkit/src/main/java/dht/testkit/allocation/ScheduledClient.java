package dht.testkit.allocation;

import dht.testkit.ServerUnderTest;
import dht.testkit.http.Connection;
import dht.testkit.http.NoAnswer;
import dht.testkit.http.Request;
import dht.testkit.http.Response;
import dht.testkit.http.Target;
import dht.testkit.transcript.Mismatch;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * A client of a {@link ServerSchedule}: it keeps one connection for as long as the server does, and
 * is the only one that writes its keys. For one thread at a time.
 */
final class ScheduledClient {
    private static final int KEYS = 3;
    private static final int SMALL_BYTES_MIN = 40;
    private static final int SMALL_BYTES_MAX = 300;
    private static final int LARGE_BYTES_MIN = 65 << 10;
    private static final int LARGE_BYTES_MAX = 100 << 10;

    private final List<KeyRecord> keys;
    private Connection connection; // Null while there is none.
    private Sent sent; // Null if no answer is awaited.

    /** A request whose answer is awaited. */
    private record Sent(String kind, KeyRecord key, boolean isStrict) {}

    ScheduledClient(int number) {
        this.keys =
                IntStream.range(0, KEYS)
                        .mapToObj(i -> new KeyRecord("c" + number + "-" + i))
                        .toList();
    }

    List<KeyRecord> keys() {
        return keys;
    }

    boolean isConnected() {
        return connection != null;
    }

    boolean isAwaitingAnswer() {
        return sent != null;
    }

    void connectTo(ServerUnderTest server) {
        connection = server.connect();
    }

    /** Closes the connection, if there is one. */
    void close() {
        if (connection != null) {
            connection.close();
        }
        connection = null;
        sent = null;
    }

    /**
     * Sends a random request.
     *
     * @param parameters parameters of requests for a key, of which one is added
     */
    void sendAny(SplittableRandom random, List<String> parameters, String strictParameter) {
        KeyRecord key = keys.get(random.nextInt(keys.size()));
        String parameter = parameters.get(random.nextInt(parameters.size()));
        String target = target(key, parameter);
        switch (random.nextInt(10)) {
            case 0, 1 -> send("DELETE", key, false, deletion(key, target));
            case 2, 3, 4 -> {
                boolean isStrict = parameter.equals(strictParameter);
                send("GET", key, isStrict, Request.get(target));
            }
            case 5 -> send("range", key, false, Request.get(Target.entities("a", "z")));
            default -> send("PUT", key, false, put(key, target, anySize(random)));
        }
    }

    /** Sends a read of a key that must have its newest version. */
    void sendRead(SplittableRandom random, String strictParameter) {
        KeyRecord key = keys.get(random.nextInt(keys.size()));
        send("GET", key, true, Request.get(target(key, strictParameter)));
    }

    static int anySize(SplittableRandom random) {
        return random.nextInt(4) == 0
                ? random.nextInt(LARGE_BYTES_MIN, LARGE_BYTES_MAX)
                : random.nextInt(SMALL_BYTES_MIN, SMALL_BYTES_MAX);
    }

    static Request put(KeyRecord key, String target, int bytes) {
        return Request.put(target, key.put(bytes).value());
    }

    static Request deletion(KeyRecord key, String target) {
        key.delete();
        return Request.delete(target);
    }

    static String target(KeyRecord key, String parameter) {
        return parameter.isEmpty() ? Target.entity(key.key()) : Target.entity(key.key(), parameter);
    }

    private void send(String kind, KeyRecord key, boolean isStrict, Request request) {
        sent = new Sent(kind, key, isStrict);
        connection.send(request);
    }

    /**
     * Waits for the answer to the last request, and checks it.
     *
     * @return its kind and its status, or {@code closed}
     * @throws NoAnswer if nothing arrives in time
     */
    String receive() {
        Sent awaited = sent;
        sent = null;
        try {
            Response answer = connection.receive();
            check(awaited, answer);
            connection.expectNothingUnread();
            if (answer.announcesClose()) {
                close();
            }
            return awaited.kind() + " " + answer.status();
        } catch (NoAnswer none) {
            if (!none.isGone()) {
                throw none;
            }
            close();
            return awaited.kind() + " closed";
        }
    }

    private static void check(Sent sent, Response answer) {
        int status = answer.status();
        if (status >= 400 && status < 500 && status != 404) {
            throw new Mismatch("no request to be wrong", "status " + status);
        }
        switch (sent.kind()) {
            case "GET" -> {
                if (status == 200 || status == 404) {
                    if (sent.isStrict()) {
                        sent.key().expectNewest(answer);
                    } else {
                        sent.key().expectAnyOf(answer);
                    }
                }
            }
            case "PUT", "DELETE" -> {
                if (status == 201 || status == 202) {
                    sent.key().acknowledge();
                }
            }
            default -> {} // A range is a whole one if its chunks end.
        }
    }
}
