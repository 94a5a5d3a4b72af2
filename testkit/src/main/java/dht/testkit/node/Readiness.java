package dht.testkit.node;

import dht.testkit.http.Connection;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Promise;
import dht.testkit.transcript.Transcript;
import java.time.Duration;
import java.util.List;

/** A check whether a server accepts requests. Implementations are stateless. */
@FunctionalInterface
public interface Readiness {
    /** The time limit of one check. */
    Duration PROBE_PATIENCE = Duration.ofSeconds(1);

    /**
     * Whether the server accepts requests now.
     *
     * @param printed the lines that it has printed since its start
     */
    boolean isReady(NodeSpec spec, List<String> printed);

    /** Whether the server has printed its ready line. */
    static boolean hasPrintedReady(NodeSpec spec, List<String> printed) {
        return printed.contains("ready " + spec.self());
    }

    /** Whether the server answers {@code GET /v0/status} with 200. */
    static boolean answersStatus(NodeSpec spec) {
        var unread = new Transcript("readiness", Promise.STATUS_ANSWERS);
        var buffer = Connection.DEFAULT_BUFFER;
        try (var connection =
                Connection.open(spec.self(), spec.name(), buffer, PROBE_PATIENCE, unread)) {
            return connection.send(Request.get(Target.STATUS)).receive().status() == 200;
        } catch (Mismatch _) {
            return false;
        }
    }
}
