package dht.testkit.tiny;

import dht.testkit.node.InProcess;
import dht.testkit.node.NodeSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A server with a fault, which tests must find.
 *
 * @param fault a description of the fault
 * @param starter starts such a server
 * @param caughtBy the tests that must fail against it
 * @param verdicts messages that some of these tests must print, as regular expressions
 */
record Wrong(
        String fault,
        InProcess.Starter starter,
        List<String> caughtBy,
        Map<String, String> verdicts) {
    /** The message of the check about a history that no order of operations explains. */
    static final String VIOLATIONS =
            "got +[\\d,]+ operations on [\\d,]+ keys, violations on [\\d,]+ of them";

    /** The message of a check about failed requests that should have succeeded. */
    static final String FAILURES = "expected +no request to fail\\b.*\\R +got +[\\d,]+ failed";

    static Wrong server(String fault, Function<NodeSpec, TinyServer> server, String... caughtBy) {
        return new Wrong(fault, node -> server.apply(node).start(), List.of(caughtBy), Map.of());
    }

    /** The same server; one test must catch its fault, and any other failing test is a mistake. */
    Wrong caughtBy(String test, String verdict) {
        var tests = new ArrayList<>(caughtBy);
        tests.add(test);
        var all = new HashMap<>(verdicts);
        all.put(test, verdict);
        return new Wrong(fault, starter, List.copyOf(tests), Map.copyOf(all));
    }

    /** The message that the test must print. */
    String verdictOf(String test) {
        return verdicts.getOrDefault(test, "");
    }

    /** Starts a node whose clock is an hour behind. */
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
