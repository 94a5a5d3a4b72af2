package dht.testkit.tiny;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dht.testkit.concurrent.Deadline;
import dht.testkit.node.InProcess;
import dht.testkit.node.NodeSpec;
import dht.testkit.tiny.TinyRequest.Fault;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A small server that keeps every promise, in methods that can be replaced one by one to break one
 * promise each. A thread a connection.
 */
class TinyServer implements InProcess.Killable {
    private static final int VALUE_BYTES_MAX = 16 << 20;
    private static final int KEY_BYTES_MAX = 1024;
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final NodeSpec spec;
    private final Set<TinyConnection> connections = ConcurrentHashMap.newKeySet();
    private TinyStore store;
    private ServerSocket listener;
    private volatile boolean stopping;

    TinyServer(NodeSpec spec) {
        this.spec = spec;
    }

    TinyServer start() throws IOException {
        listener = new ServerSocket(spec.port(), 1000, InetAddress.ofLiteral(NodeSpec.HOST));
        try {
            store = openStore(spec.dataDir());
        } catch (IOException | RuntimeException refused) {
            listener.close();
            throw refused;
        }
        var acceptor = new Thread(this::acceptAll, "acceptor");
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

    ServerSocket listener() {
        return listener;
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
        Thread.startVirtualThread(
                () -> {
                    connection.run();
                    connections.remove(connection);
                });
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
        listener.close();
        connections.forEach(TinyConnection::closeIfIdle);
        Deadline.in(GRACE).reached(connections::isEmpty);
        kill();
    }

    @Override
    public void kill() throws IOException {
        stopping = true;
        listener.close();
        connections.forEach(TinyConnection::close);
        Deadline.in(GRACE).reached(connections::isEmpty);
        store.close();
    }

    /** Dispatches one request. */
    TinyAnswer answer(TinyRequest request, byte[] body) throws Fault, IOException {
        return switch (request.path()) {
            case "/v0/status" -> request.method().equals("GET") ? status() : notAllowed("GET");
            case "/v0/entity" ->
                    switch (request.method()) {
                        case "GET" -> get(key(request, "id"));
                        case "PUT" -> put(key(request, "id"), body);
                        case "DELETE" -> delete(key(request, "id"));
                        default -> notAllowed("GET, PUT, DELETE");
                    };
            case "/v0/entities" ->
                    request.method().equals("GET") ? range(request) : notAllowed("GET");
            default -> unknownPath();
        };
    }

    TinyAnswer status() {
        return TinyAnswer.of(200, "ok".getBytes(UTF_8));
    }

    TinyAnswer get(String key) {
        return store.get(key)
                .map(value -> TinyAnswer.of(200, value))
                .orElseGet(() -> TinyAnswer.error(404, "no such key"));
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
        return TinyAnswer.range(entries(start, end));
    }

    Map<String, byte[]> entries(String start, Optional<String> end) {
        return store.range(start, end);
    }

    TinyAnswer unknownPath() {
        return TinyAnswer.error(400, "unknown path");
    }

    TinyAnswer notAllowed(String allowed) {
        return TinyAnswer.error(405, "allowed are " + allowed).header("Allow: " + allowed);
    }

    String key(TinyRequest request, String parameter) throws Fault {
        var encoded =
                request.parameter(parameter)
                        .orElseThrow(() -> new Fault(400, parameter + " is missing"));
        var key = decode(encoded);
        var length = key.getBytes(UTF_8).length;
        if (length == 0 || length > keyBytesMax()) {
            throw new Fault(
                    400,
                    "%s has %d bytes, allowed are 1 to %d"
                            .formatted(parameter, length, KEY_BYTES_MAX));
        }
        return key;
    }

    String decode(String encoded) throws Fault {
        return TinyRequest.decode(encoded);
    }

    int keyBytesMax() {
        return KEY_BYTES_MAX;
    }

    long valueBytesMax() {
        return VALUE_BYTES_MAX;
    }

    /** What a client that expects a 100 gets before its body. */
    void sendContinue(OutputStream out) throws IOException {
        out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(ISO_8859_1));
    }

    /** Whether the connection goes on after a fault in a request that was read entirely. */
    boolean staysOpenAfter(Fault fault) {
        return true;
    }

    void send(OutputStream out, TinyRequest request, TinyAnswer answer) throws IOException {
        out.write(answer.head());
        if (!request.method().equals("HEAD")) {
            out.write(answer.body());
        }
        if (answer.entries().isPresent()) {
            sendEntries(out, answer.entries().get());
        }
        out.flush();
    }

    void sendEntries(OutputStream out, Map<String, byte[]> entries) throws IOException {
        for (var entry : entries.entrySet()) {
            out.write(TinyAnswer.chunk(entry.getKey(), entry.getValue()));
        }
        out.write(TinyAnswer.chunk(new byte[0]));
    }
}
