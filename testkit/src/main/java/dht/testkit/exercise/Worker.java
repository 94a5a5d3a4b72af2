package dht.testkit.exercise;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The process in which {@code ./workbook} compiles and tests exercises. It reads requests from
 * standard input, one JSON object per line. It answers each request with events on standard output,
 * one JSON object per line. The last event of a request is {@code {"event": "done"}} or {@code
 * {"event": "failed", "message": …}}.
 *
 * <p>Each event contains the {@code token} of its request, if there is one. The code under test
 * does not know the token, so it cannot invent results. What the tests print goes to standard
 * error, so that it cannot be mistaken for an event. Used by one thread.
 */
public final class Worker {
    private final PrintStream events;

    private Worker(PrintStream events) {
        this.events = events;
    }

    /** Answers requests until standard input ends. */
    public static void main(String... arguments) throws IOException {
        PrintStream events = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        Worker worker = new Worker(events);
        var requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = requests.readLine()) != null; ) {
            worker.serve(line);
        }
        System.exit(0); // Tests may have left threads behind.
    }

    private void serve(String line) throws IOException {
        Request request = new Request(JSON.std.mapFrom(line));
        Object token = request.fields().getOrDefault("token", "");
        try {
            Consumer<Map<String, Object>> send = event -> send(event, token);
            switch (request.text("do")) {
                case "outline" -> SourceOutline.of(request.path("source")).members().forEach(send);
                case "compile" -> Compilation.of(request).run(send);
                case "test" -> TestRun.of(request).run(send);
                case String other ->
                        throw new IllegalArgumentException("unknown request: do=" + other);
            }
            send(Map.of("event", "done"), token);
        } catch (Exception | LinkageError e) {
            send(Map.of("event", "failed", "message", String.valueOf(e)), token);
        }
    }

    private void send(Map<String, Object> event, Object token) {
        try {
            Map<String, Object> marked = new LinkedHashMap<>(event);
            marked.put("token", token);
            events.println(JSON.std.asString(marked));
        } catch (IOException e) {
            throw new IllegalStateException("cannot write an event: " + event, e);
        }
    }
}
