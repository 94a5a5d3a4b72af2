package dht.http;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import one.nio.net.Socket;
import one.nio.server.RejectedSessionException;
import one.nio.server.Server;

/**
 * An HTTP/1.1 server on one-nio's acceptors and selectors.
 *
 * <p>HTTP itself is spoken by {@link HttpSession}, not by one-nio's session of that name, which
 * limits a line to 2 KiB (a key may take 3 KiB), takes malformed UTF-8 for text, doesn't know
 * chunked bodies and closes the connection on every 400.
 *
 * <p>Thread-safe.
 */
public final class HttpServer extends Server implements AutoCloseable {
    /**
     * What the operating system keeps of a connection's answers. Left to itself it keeps megabytes
     * for a client that doesn't read, and its memory for all connections is bounded too.
     */
    private static final int SEND_BUFFER_BYTES = 64 << 10;

    private final ListenAddress address;
    private final HttpOptions options;
    private final Router router;
    private final MemoryBudget connectionMemory;
    private final Response overBudget = Response.unavailable("too many large bodies at a time");
    private final Response tooSlow;
    private final Set<HttpSession> sessions = ConcurrentHashMap.newKeySet();
    private final ConnectionSweeper sweeper;
    private final AtomicBoolean stopping = new AtomicBoolean();

    /** Binds to the address; {@link #start} begins to accept. */
    public HttpServer(ListenAddress address, HttpOptions options, Router router)
            throws IOException {
        super(address.serverConfig(options));
        this.address = address;
        this.options = options;
        this.router = router;
        this.connectionMemory =
                MemoryBudget.withReserve(
                        options.connectionMemoryBytesMax(), ConnectionMemory.LITTLE_BYTES_MAX);
        this.tooSlow =
                Response.of(
                        Status.REQUEST_TIMEOUT,
                        "body comes more slowly than " + options.dataRateMin() + " bytes a second");
        this.sweeper = new ConnectionSweeper(sessions, connectionMemory, router.failures());
    }

    @Override
    public synchronized void start() {
        super.start();
        sweeper.start();
    }

    @Override
    public HttpSession createSession(Socket socket) throws RejectedSessionException {
        if (sessions.size() >= options.connectionCountMax()) {
            throw new RejectedSessionException("too many connections");
        }
        socket.setSendBuffer(SEND_BUFFER_BYTES);
        socket.setNoDelay(true);
        HttpSession session = new HttpSession(socket, this);
        sessions.add(session);
        return session;
    }

    void forget(HttpSession session) {
        sessions.remove(session);
    }

    /** Which paths are served on the port that a new connection came to. */
    ServedPaths servedPaths(Socket socket) {
        if (!address.hasGuardedPort()) {
            return ServedPaths.ALL;
        }
        return socket.getLocalAddress().getPort() == address.guardedPort()
                ? ServedPaths.GUARDED
                : ServedPaths.OTHERS;
    }

    HttpOptions options() {
        return options;
    }

    Router router() {
        return router;
    }

    /** What a new connection takes its memory from. */
    ConnectionMemory connectionMemory() {
        return new ConnectionMemory(connectionMemory, sweeper::wake);
    }

    /** What all connections hold together. */
    long connectionMemoryTakenBytes() {
        return connectionMemory.takenBytes();
    }

    Response overBudget() {
        return overBudget;
    }

    Response tooSlow() {
        return tooSlow;
    }

    boolean isDraining() {
        return stopping.get();
    }

    /**
     * Stops accepting, finishes what is in flight as far as the deadline allows, and closes all
     * connections.
     */
    @Override
    public void stop() {
        if (!stopping.compareAndSet(false, true)) {
            return;
        }
        acceptor.shutdown();
        long deadlineNanos = System.nanoTime() + options.drainTimeout().toNanos();
        sessions.forEach(HttpSession::drain);
        while (!sessions.isEmpty() && System.nanoTime() < deadlineNanos) {
            sessions.forEach(HttpSession::drain);
            pause();
        }
        sweeper.stop();
        super.stop();
        sessions.forEach(HttpSession::closeAtLast);
    }

    /** Stops, also a server that has not started. */
    @Override
    public void close() {
        stop();
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(5);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
