package dht.testkit.exercise;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticListener;
import javax.tools.JavaFileObject;

/** The errors and warnings of one compilation. For one thread. */
final class Problems implements DiagnosticListener<JavaFileObject> {
    private final List<Diagnostic<? extends JavaFileObject>> all = new ArrayList<>();

    @Override
    public void report(Diagnostic<? extends JavaFileObject> problem) {
        all.add(problem);
    }

    boolean hasErrors() {
        return all.stream().anyMatch(problem -> problem.getKind() == Diagnostic.Kind.ERROR);
    }

    /** The message of the first error; empty if there is none. */
    String first() {
        return all.stream()
                .filter(problem -> problem.getKind() == Diagnostic.Kind.ERROR)
                .map(problem -> problem.getMessage(Locale.ROOT))
                .findFirst()
                .orElse("");
    }

    /**
     * Sends one event for each problem: {@code event=problem, kind=error|warning, file, line,
     * message}.
     */
    void send(Consumer<Map<String, Object>> events) {
        for (var problem : all) {
            Map<String, Object> event = new LinkedHashMap<>();
            event.put("event", "problem");
            boolean isError = problem.getKind() == Diagnostic.Kind.ERROR;
            event.put("kind", isError ? "error" : "warning");
            event.put("file", problem.getSource() == null ? "" : problem.getSource().getName());
            event.put("line", Math.max(0, problem.getLineNumber()));
            event.put("message", problem.getMessage(Locale.ROOT));
            events.accept(event);
        }
    }
}
