package dht.testkit.tiny;

import static java.nio.charset.StandardCharsets.UTF_8;

import dht.testkit.concurrent.Deadline;
import dht.testkit.node.InProcess;
import dht.testkit.node.NodeSpec;
import dht.testkit.tiny.TinyRequest.Fault;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A small server that keeps every promise. A faulty server overrides one method of it, and so
 * breaks one promise. Each connection has a thread.
 */
class TinyServer extends TinyProtocol implements InProcess.Killable {
    private static final Duration GRACE = Duration.ofSeconds(1);
    private static final String LENGTHS = "application/vnd.dht.entries";

    private final NodeSpec spec;
    private final Set<TinyConnection> connections = ConcurrentHashMap.newKeySet();
    private TinyStore store;
    private ServerSocket listener;
    private Thread acceptor;
    private volatile boolean stopping;

    TinyServer(NodeSpec spec) {
        this.spec = spec;
    }

    // Starting and stopping.

    TinyServer start() throws IOException {
        listener = new ServerSocket(spec.port(), 1000, InetAddress.ofLiteral(NodeSpec.HOST));
        try {
            store = openStore(spec.dataDir());
        } catch (IOException | RuntimeException refused) {
            listener.close();
            throw refused;
        }
        acceptor = new Thread(this::acceptAll, "acceptor");
        acceptor.setDaemon(true);
        acceptor.start();
        return this;
    }

    TinyStore openStore(Path directory) throws IOException {
        return new TinyStore(directory);
    }

    TinyStore store() {
        return store;
    }

    private void acceptAll() {
        while (true) {
            try {
                serve(listener.accept());
            } catch (IOException _) {
                return; // The listener is closed.
            }
        }
    }

    void serve(Socket socket) {
        var connection = new TinyConnection(this, socket);
        connections.add(connection);
        run(
                () -> {
                    connection.run();
                    connections.remove(connection);
                });
    }

    void run(Runnable connection) {
        Thread.startVirtualThread(connection);
    }

    boolean isStopping() {
        return stopping;
    }

    @Override
    public void close() throws IOException {
        if (stopping) {
            return;
        }
        stopping = true;
        stopListening();
        connections.forEach(TinyConnection::closeIfIdle);
        Deadline.in(GRACE).reached(connections::isEmpty);
        closeConnections();
        store.close();
    }

    @Override
    public void kill() throws IOException {
        stopping = true;
        stopListening();
        closeConnections();
        store.kill();
    }

    /** Waits for the acceptor to end, because only then the port is free. */
    void stopListening() throws IOException {
        listener.close();
        Deadline.in(GRACE).reached(() -> !acceptor.isAlive());
    }

    void closeConnections() {
        connections.forEach(TinyConnection::close);
        Deadline.in(GRACE).reached(connections::isEmpty);
    }

    // Answers.

    final TinyAnswer answerOrFault(TinyRequest request, byte[] body) throws IOException {
        try {
            return answer(request, body);
        } catch (Fault fault) {
            return error(fault.status, fault.getMessage());
        }
    }

    TinyAnswer answer(TinyRequest request, byte[] body) throws Fault, IOException {
        var allowed = allowed(request.path());
        if (allowed.isEmpty()) {
            return unknownPath();
        }
        if (!allowed.contains(request.method())) {
            return notAllowed(String.join(", ", allowed));
        }
        return switch (request.path()) {
            case "/v0/status" -> status();
            case "/v0/entities" -> range(request);
            default ->
                    switch (request.method()) {
                        case "GET" -> get(key(request, "id"));
                        case "PUT" -> put(key(request, "id"), body);
                        default -> delete(key(request, "id"));
                    };
        };
    }

    List<String> allowed(String path) {
        return switch (path) {
            case "/v0/status", "/v0/entities" -> List.of("GET");
            case "/v0/entity" -> List.of("GET", "PUT", "DELETE");
            default -> List.of();
        };
    }

    TinyAnswer status() {
        return TinyAnswer.of(200, "ok".getBytes(UTF_8));
    }

    TinyAnswer get(String key) {
        return store.get(key)
                .map(value -> TinyAnswer.of(200, value))
                .orElseGet(() -> error(404, "no such key"));
    }

    TinyAnswer put(String key, byte[] value) throws IOException {
        store.put(key, value);
        return TinyAnswer.of(201, new byte[0]);
    }

    TinyAnswer delete(String key) throws IOException {
        store.delete(key);
        return TinyAnswer.of(202, new byte[0]);
    }

    TinyAnswer range(TinyRequest request) throws Fault {
        var start = key(request, "start");
        var end =
                request.parameter("end").isPresent()
                        ? Optional.of(key(request, "end"))
                        : Optional.<String>empty();
        return rangeOf(entries(start, end), request);
    }

    /** The answer with these entries, in the format that the request asks for. */
    TinyAnswer rangeOf(Map<String, byte[]> entries, TinyRequest request) {
        return asksForLengths(request)
                ? TinyAnswer.chunked(chunksWithLengths(entries), LENGTHS)
                : TinyAnswer.range(entries);
    }

    boolean asksForLengths(TinyRequest request) {
        return request.values("Accept").stream()
                .flatMap(line -> Stream.of(line.split(",")))
                .anyMatch(
                        type -> type.strip().matches(Pattern.quote(LENGTHS) + " *(;(?!q=0$).*)?"));
    }

    private byte[] chunksWithLengths(Map<String, byte[]> entries) {
        var out = new ByteArrayOutputStream();
        entries.forEach(
                (key, value) ->
                        out.writeBytes(
                                TinyAnswer.chunk(entryWithLengths(key.getBytes(UTF_8), value))));
        out.writeBytes(TinyAnswer.chunk(new byte[0]));
        return out.toByteArray();
    }

    byte[] entryWithLengths(byte[] key, byte[] value) {
        return TinyAnswer.entryWithLengths(key, value);
    }

    Map<String, byte[]> entries(String start, Optional<String> end) {
        return store.range(start, end);
    }

    TinyAnswer unknownPath() {
        return error(400, "unknown path");
    }

    TinyAnswer notAllowed(String allowed) {
        return error(405, "allowed are " + allowed).header("Allow: " + allowed);
    }

    // Keys.

    String key(TinyRequest request, String parameter) throws Fault {
        if (isGivenTwice(request, parameter)) {
            throw new Fault(400, parameter + " is given twice");
        }
        var encoded =
                parameter(request, parameter)
                        .orElseThrow(() -> new Fault(400, parameter + " is missing"));
        var key = decode(encoded);
        var length = keyLength(encoded, key);
        if (length < keyBytesMin() || length > keyBytesMax()) {
            throw new Fault(
                    400, "%s has %d bytes, allowed are 1 to 1024".formatted(parameter, length));
        }
        return key;
    }

    boolean isGivenTwice(TinyRequest request, String parameter) {
        return request.isGivenTwice(parameter);
    }

    Optional<String> parameter(TinyRequest request, String name) {
        return request.parameter(name);
    }

    int keyLength(String encoded, String key) {
        return key.getBytes(UTF_8).length;
    }

    int keyBytesMin() {
        return 1;
    }

    int keyBytesMax() {
        return 1024;
    }
}
