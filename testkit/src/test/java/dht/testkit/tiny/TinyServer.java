package dht.testkit.tiny;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dht.testkit.concurrent.Deadline;
import dht.testkit.node.InProcess;
import dht.testkit.node.NodeSpec;
import dht.testkit.tiny.TinyRequest.Fault;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A small server that keeps every promise, made of methods that can be replaced one by one to break
 * one promise each. A thread a connection.
 */
class TinyServer implements InProcess.Killable {
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final NodeSpec spec;
    private final Set<TinyConnection> connections = ConcurrentHashMap.newKeySet();
    private TinyStore store;
    private ServerSocket listener;
    private Thread acceptor;
    private volatile boolean stopping;

    TinyServer(NodeSpec spec) {
        this.spec = spec;
    }

    // Life: start, accept, stop, kill.

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

    /** The port is free when the acceptor has let go of it, not before. */
    void stopListening() throws IOException {
        listener.close();
        Deadline.in(GRACE).reached(() -> !acceptor.isAlive());
    }

    void closeConnections() {
        connections.forEach(TinyConnection::close);
        Deadline.in(GRACE).reached(connections::isEmpty);
    }

    // Framing: from bytes to a request and its body.

    InputStream input(Socket socket) throws IOException {
        return new BufferedInputStream(socket.getInputStream());
    }

    List<String> readHead(InputStream in) throws IOException, Fault {
        var lines = new ArrayList<String>();
        var line = new ByteArrayOutputStream();
        for (var count = 0; count < headBytesMax(); count++) {
            var b = in.read();
            if (b < 0) {
                throw new EOFException();
            }
            if (b != '\n') {
                line.write(b);
                continue;
            }
            var text = line.toString(ISO_8859_1).stripTrailing();
            if (text.isEmpty() && !lines.isEmpty()) {
                return lines;
            }
            lines.add(text);
            line.reset();
        }
        throw new Fault(431, "the head is longer than %d bytes".formatted(headBytesMax()));
    }

    int headBytesMax() {
        return 32 << 10;
    }

    TinyRequest parse(List<String> lines) throws Fault {
        return TinyRequest.parse(lines);
    }

    long bodyLength(TinyRequest request) throws Fault {
        var lengths = request.values("Content-Length").stream().distinct().toList();
        if (!request.values("Transfer-Encoding").isEmpty()) {
            throw new Fault(lengths.isEmpty() ? 411 : 400, "chunked bodies are not taken");
        }
        if (lengths.isEmpty()) {
            return 0;
        }
        if (lengths.size() > 1 || !lengths.getFirst().matches("[0-9]+")) {
            throw new Fault(400, "Content-Length is not one number");
        }
        var digits = lengths.getFirst();
        return digits.length() > 19 ? Long.MAX_VALUE : Long.parseLong(digits);
    }

    long valueBytesMax() {
        return 16 << 20;
    }

    /** What a client that expects a 100 gets before its body. */
    void sendContinue(OutputStream out) throws IOException {
        out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(ISO_8859_1));
    }

    byte[] readBody(InputStream in, int length) throws IOException {
        var body = in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException();
        }
        return body;
    }

    /** False where the connection ends. */
    boolean answerOutOfStep(OutputStream out, Fault fault) throws IOException {
        send(
                out,
                new TinyRequest("GET", "/", "", false, List.of()),
                error(fault.status, fault.getMessage()));
        return false;
    }

    boolean keepsAlive(TinyRequest request, TinyAnswer answer) {
        return !request.http10() && !request.asksToClose();
    }

    void betweenRequests(InputStream in) throws IOException {}

    void clientIsGone() {}

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
        return TinyAnswer.range(entries(start, end));
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

    TinyAnswer error(int status, String message) {
        return TinyAnswer.of(status, (message + "\n").getBytes(UTF_8))
                .header("Content-Type: text/plain; charset=utf-8");
    }

    // Keys.

    String key(TinyRequest request, String parameter) throws Fault {
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

    String decode(String encoded) throws Fault {
        var out = new ByteArrayOutputStream();
        for (var i = 0; i < encoded.length(); i++) {
            if (encoded.charAt(i) == '%') {
                out.write(hexByte(encoded.substring(i + 1, Math.min(i + 3, encoded.length()))));
                i += 2;
            } else {
                out.write(encoded.charAt(i));
            }
        }
        return utf8(out.toByteArray());
    }

    int hexByte(String digits) throws Fault {
        if (!digits.matches("[0-9a-fA-F]{2}")) {
            throw new Fault(400, "malformed percent-encoding");
        }
        return HexFormat.fromHexDigits(digits);
    }

    String utf8(byte[] bytes) throws Fault {
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException _) {
            throw new Fault(400, "malformed UTF-8");
        }
    }

    // Sending.

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
            out.write(chunk(entry.getKey(), entry.getValue()));
        }
        out.write(TinyAnswer.chunk(new byte[0]));
    }

    byte[] chunk(String key, byte[] value) {
        return TinyAnswer.chunk(TinyAnswer.entry(key, value));
    }
}
