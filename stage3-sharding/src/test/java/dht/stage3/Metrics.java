package dht.stage3;

import static java.nio.charset.StandardCharsets.UTF_8;

import dht.testkit.ServerUnderTest;
import dht.testkit.http.Request;
import java.net.URI;

/** What a node tells under {@code /metrics}. */
final class Metrics {
    private Metrics() {}

    /**
     * The number of requests for own keys ({@code local}) or for keys of other nodes ({@code
     * forwarded}).
     */
    static int ofRoute(ServerUnderTest server, String route) {
        return value(server, "requests_routed_total{route=\"%s\"}".formatted(route));
    }

    /** The number of requests to a peer with this outcome. */
    static int ofOutcome(ServerUnderTest server, URI peer, String outcome) {
        return value(
                server, "peer_requests_total{outcome=\"%s\",peer=\"%s\"}".formatted(outcome, peer));
    }

    /** The number of requests that wait for a connection to a peer. */
    static int ofQueue(ServerUnderTest server, URI peer) {
        return value(server, "peer_requests_queued{peer=\"%s\"}".formatted(peer));
    }

    /** 1 if the breaker to a peer is in this state. */
    static int ofBreaker(ServerUnderTest server, URI peer, String state) {
        return value(server, "peer_breaker_state{peer=\"%s\",state=\"%s\"}".formatted(peer, state));
    }

    private static int value(ServerUnderTest server, String series) {
        String text =
                new String(server.ask(Request.get("/metrics")).expectStatus(200).body(), UTF_8);
        return text.lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToInt(line -> (int) Double.parseDouble(line.substring(series.length() + 1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + series + " in\n" + text));
    }
}
