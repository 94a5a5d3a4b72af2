package dht.testkit.history;

import dht.testkit.history.Operation.Kind;
import dht.testkit.history.Operation.Outcome;
import java.util.ArrayList;
import java.util.List;

/** A history of one key, written by hand, with small numbers as times. */
final class Script {
    private final List<Operation> operations = new ArrayList<>();

    Script put(String value, long start, long end) {
        return add(Kind.PUT, value, start, end, Outcome.OK);
    }

    Script delete(long start, long end) {
        return add(Kind.DELETE, null, start, end, Outcome.OK);
    }

    /** A null value means that nothing was found. */
    Script get(String value, long start, long end) {
        return add(Kind.GET, value, start, end, Outcome.OK);
    }

    Script add(Kind kind, String value, long start, long end, Outcome outcome) {
        var node = "node-" + (operations.size() % 3 + 1);
        operations.add(new Operation(kind, "k", value, node, start, end, outcome, ""));
        return this;
    }

    List<Operation> operations() {
        return operations;
    }

    Verdict judged() {
        return HistoryCheck.judge(operations);
    }
}
