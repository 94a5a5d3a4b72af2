package dht.testkit.tiny;

import dht.testkit.node.InProcess;
import dht.testkit.node.NodeSpec;
import java.util.List;
import java.util.function.Function;

/**
 * A server that is wrong on purpose.
 *
 * @param fault what it does wrong
 * @param starter starts one
 * @param caughtBy the tests that must fail against it
 */
record Wrong(String fault, InProcess.Starter starter, List<String> caughtBy) {
    static Wrong server(String fault, Function<NodeSpec, TinyServer> server, String... caughtBy) {
        return new Wrong(fault, node -> server.apply(node).start(), List.of(caughtBy));
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
