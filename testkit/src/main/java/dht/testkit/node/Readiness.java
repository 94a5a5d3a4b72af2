package dht.testkit.node;

import dht.testkit.http.Connection;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Promise;
import dht.testkit.transcript.Transcript;
import java.time.Duration;
import java.util.List;

/** How a server tells that it accepts requests. */
@FunctionalInterface
public interface Readiness {
    /** How long a single look takes at most. */
    Duration PROBE_PATIENCE = Duration.ofSeconds(1);

    /**
     * @param printed what it has printed since it was started
     */
    boolean isReady(NodeSpec spec, List<String> printed);

    /** By a line that it prints. */
    static boolean hasPrintedReady(NodeSpec spec, List<String> printed) {
        return printed.contains("ready " + spec.self());
    }

    /** By an answer. */
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
