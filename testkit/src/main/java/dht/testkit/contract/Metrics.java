package dht.testkit.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import dht.testkit.ServerUnderTest;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.transcript.Mismatch;

/** Reads metrics of a node, which docs/reference/http.md describes. Stateless. */
public final class Metrics {
    private Metrics() {}

    /**
     * The sum of all series with this name.
     *
     * @throws Mismatch if the node has none
     */
    public static double sum(ServerUnderTest node, String name) {
        var answer = node.ask(Request.get(Target.METRICS)).expectStatus(200);
        var series =
                new String(answer.body(), UTF_8)
                        .lines()
                        .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
                        .toList();
        if (series.isEmpty()) {
            throw new Mismatch("a metric " + name + " of " + node.name(), "none");
        }
        return series.stream()
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }
}
