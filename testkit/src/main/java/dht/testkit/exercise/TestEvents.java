package dht.testkit.exercise;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * A JUnit listener that sends events about tests and starts the {@link TimeLimit} of each test.
 * Thread-safe: tests may run at the same time.
 */
final class TestEvents implements TestExecutionListener {
    /** The number of a repetition at the end of a name: {@code name(Type)[2]}. */
    private static final Pattern REPETITION = Pattern.compile("(\\[\\d+\\])+$");

    private final TimeLimit limit;
    private final Consumer<Map<String, Object>> events;
    private final Map<String, Long> startedNanos = new ConcurrentHashMap<>();

    TestEvents(TimeLimit limit, Consumer<Map<String, Object>> events) {
        this.limit = limit;
        this.events = events;
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        startedNanos.put(test.getUniqueId(), System.nanoTime());
        if (test.isTest()) {
            send(event("started", test));
            limit.begin(test.getUniqueId(), frames -> sendOverdue(test, frames));
        }
    }

    private void sendOverdue(TestIdentifier test, List<String> frames) {
        Map<String, Object> event = event("overdue", test);
        describeOverdue(frames, event);
        send(event);
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        Map<String, Object> event = event("test", test);
        event.put("outcome", "not run");
        event.put("message", reason);
        send(event);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        List<String> overdue = limit.end(test.getUniqueId());
        Status status = overdue != null ? Status.FAILED : result.getStatus();
        if (!test.isTest() && status != Status.FAILED) {
            return;
        }
        Map<String, Object> event = event("test", test);
        event.put("outcome", outcome(status));
        Long started = startedNanos.remove(test.getUniqueId());
        long nanos = started == null ? 0 : System.nanoTime() - started;
        event.put("seconds", nanos / 1e9);
        if (overdue != null) {
            event.put("hung", true);
            describeOverdue(overdue, event);
        } else {
            result.getThrowable().ifPresent(failure -> describe(failure, event));
        }
        send(event);
    }

    private synchronized void send(Map<String, Object> event) {
        events.accept(event);
    }

    private static String outcome(Status status) {
        return switch (status) {
            case SUCCESSFUL -> "passed";
            case FAILED -> "failed";
            case ABORTED -> "not run";
        };
    }

    private void describeOverdue(List<String> frames, Map<String, Object> event) {
        String seconds = "it did not end within %d s".formatted(limit.limit().toSeconds());
        event.put(
                "message",
                frames.isEmpty() ? seconds : seconds + ": it waited " + frames.getFirst());
        event.put("trace", frames);
    }

    private static void describe(Throwable failure, Map<String, Object> event) {
        String message = failure.getMessage();
        boolean isPlain =
                message != null
                        && (failure instanceof AssertionError
                                || failure instanceof UnsupportedOperationException);
        event.put("message", isPlain ? message : failure.toString());
        event.put("trace", TimeLimit.frames(failure.getStackTrace()));
    }

    /**
     * The name of the test is empty for an event of a whole class: for example, if its preparation
     * has failed.
     */
    private static Map<String, Object> event(String kind, TestIdentifier test) {
        Map<String, Object> event = new LinkedHashMap<>();
        event.put("event", kind);
        Optional<TestSource> source = test.getSource();
        String suite = "";
        String name = test.getDisplayName();
        if (source.orElse(null) instanceof MethodSource method) {
            suite = method.getClassName();
            Matcher repetition = REPETITION.matcher(test.getLegacyReportingName());
            name = method.getMethodName() + (repetition.find() ? repetition.group() : "");
        } else if (source.orElse(null) instanceof ClassSource type) {
            suite = type.getClassName();
            name = "";
        }
        event.put("suite", suite);
        event.put("test", name);
        return event;
    }
}
