package dht.testkit.tiny;

import dht.testkit.node.InProcess;
import dht.testkit.node.NodeSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A server that is wrong on purpose.
 *
 * @param fault what it does wrong
 * @param starter starts one
 * @param caughtBy the tests that must fail against it
 * @param verdicts what some of them must say, as regular expressions
 */
record Wrong(
        String fault,
        InProcess.Starter starter,
        List<String> caughtBy,
        Map<String, String> verdicts) {
    /** What a check says of a history that no order explains. */
    static final String VIOLATIONS =
            "got +[\\d,]+ operations on [\\d,]+ keys, violations on [\\d,]+ of them";

    /** What a check says of requests that nothing keeps from being served. */
    static final String FAILURES = "expected +no request to fail\\b.*\\R +got +[\\d,]+ failed";

    static Wrong server(String fault, Function<NodeSpec, TinyServer> server, String... caughtBy) {
        return new Wrong(fault, node -> server.apply(node).start(), List.of(caughtBy), Map.of());
    }

    /** The same, caught by a test for its fault alone: any other failure is an accident. */
    Wrong caughtBy(String test, String verdict) {
        var tests = new ArrayList<>(caughtBy);
        tests.add(test);
        var all = new HashMap<>(verdicts);
        all.put(test, verdict);
        return new Wrong(fault, starter, List.copyOf(tests), Map.copyOf(all));
    }

    /** What the test must say. */
    String verdictOf(String test) {
        return verdicts.getOrDefault(test, "");
    }

    /** Starts one whose clock is an hour behind. */
    InProcess.Starter starterBehind() {
        return node -> {
            TinyReplica.setBack(node);
            return starter.start(node);
        };
    }

    @Override
    public String toString() {
        return fault;
    }
}
