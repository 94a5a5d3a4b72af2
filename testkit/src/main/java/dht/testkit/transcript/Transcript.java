package dht.testkit.transcript;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A record of the requests, answers and other events of one test. Of a long test, it keeps only the
 * first events and the last ones.
 *
 * <p>Threads may share it.
 */
public final class Transcript {
    private static final int FIRST_EVENTS_MAX = 4;
    private static final int LAST_EVENTS_MAX = 14;

    private final String test;
    private final Promise promise;

    // Guarded by this.
    private final List<String> first = new ArrayList<>();
    private final Deque<String> last = new ArrayDeque<>();
    private long leftOut;
    private int connections;

    public Transcript(String test, Promise promise) {
        this.test = test;
        this.promise = promise;
    }

    /** Returns the number of a new connection, from 1. */
    public synchronized int opened() {
        return ++connections;
    }

    /** Records a request, as a shell command. */
    public void asked(int connection, String node, String shellLine) {
        add("#%-3d %s  %s".formatted(connection, node, shellLine));
    }

    /** Records what came back, such as an answer or a close. */
    public void answered(int connection, String summary) {
        add("#%-3d   => %s".formatted(connection, summary));
    }

    /** Records an event that is not a request, such as a restart or a seed. */
    public void note(String text) {
        add("--   " + text);
    }

    private synchronized void add(String event) {
        if (first.size() < FIRST_EVENTS_MAX) {
            first.add(event);
            return;
        }
        last.addLast(event);
        if (last.size() > LAST_EVENTS_MAX) {
            last.removeFirst();
            leftOut++;
        }
    }

    /**
     * A text that explains a failure: the promise, the page that explains it, what was expected and
     * found, and the commands that repeat the requests.
     *
     * @param serverLog the last lines that the server printed, or empty
     */
    public synchronized String of(Throwable failure, String serverLog) {
        var out = new StringBuilder(test).append('\n');
        field(out, "promise", promise.text());
        field(out, "read", promise.page());
        if (failure instanceof Mismatch mismatch) {
            field(out, "expected", mismatch.expected());
            field(out, "got", mismatch.got());
        } else {
            field(
                    out,
                    "failed",
                    failure instanceof AssertionError ? failure.getMessage() : failure.toString());
        }
        appendEvents(out);
        if (!serverLog.isBlank()) {
            out.append("  the server printed last:\n").append(serverLog.stripTrailing().indent(4));
        }
        return out.toString().stripTrailing();
    }

    private void appendEvents(StringBuilder out) {
        if (first.isEmpty()) {
            return;
        }
        out.append("  what was asked (#n is the n-th connection of this test):\n");
        first.forEach(event -> line(out, event));
        if (leftOut > 0) {
            line(out, "...  %,d more".formatted(leftOut));
        }
        last.forEach(event -> line(out, event));
    }

    private static void line(StringBuilder out, String event) {
        out.append("    ").append(event).append('\n');
    }

    private static void field(StringBuilder out, String name, String text) {
        out.append("  %-10s%s%n".formatted(name, text));
    }
}
