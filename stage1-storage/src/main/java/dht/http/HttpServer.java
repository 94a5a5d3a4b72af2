package dht.http;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import one.nio.net.Socket;
import one.nio.server.RejectedSessionException;
import one.nio.server.SelectorThread;
import one.nio.server.Server;

/**
 * An HTTP/1.1 server on one-nio's acceptors and selectors.
 *
 * <p>{@link HttpSession} implements HTTP. It replaces one-nio's class with the same name, which
 * limits a line to 2 KiB (an encoded key may take 3 KiB), accepts malformed UTF-8, doesn't support
 * chunked bodies and closes the connection after every 400.
 *
 * <p>Thread-safe.
 */
public final class HttpServer extends Server implements AutoCloseable {
    /**
     * The size of a socket's send buffer. By default, the operating system buffers megabytes for a
     * client that doesn't read, and its memory for all connections is limited, too.
     */
    private static final int SEND_BUFFER_BYTES = 64 << 10;

    private final ListenAddress address;
    private final String url;
    private final HttpOptions options;
    private final Router router;
    private final MemoryBudget connectionMemory;
    private final Response overBudget = Response.unavailable("too many large bodies at a time");
    private final Response tooSlow;
    private final Set<HttpSession> sessions = ConcurrentHashMap.newKeySet();
    // The set's own counter is wrong after it has run out of memory.
    private final AtomicInteger sessionCount = new AtomicInteger();
    private final ConnectionSweeper sweeper;
    private final AtomicBoolean stopping = new AtomicBoolean();

    /** Binds to the address; {@link #start} begins to accept. */
    public HttpServer(ListenAddress address, HttpOptions options, Router router)
            throws IOException {
        super(address.serverConfig(options));
        this.address = address;
        this.url = address.url();
        this.options = options;
        this.router = router;
        this.connectionMemory =
                MemoryBudget.withReserve(
                        options.connectionMemoryBytesMax(), ConnectionMemory.LITTLE_BYTES_MAX);
        this.tooSlow =
                Response.of(
                        Status.REQUEST_TIMEOUT,
                        "body arrives more slowly than "
                                + options.dataRateMin()
                                + " bytes a second");
        this.sweeper = new ConnectionSweeper(sessions, connectionMemory, router.failures());
    }

    /**
     * As one-nio's method, but registers no MXBean: with the first one, the JVM creates the beans
     * of the whole platform, which makes each start of a server slower.
     */
    @Override
    public synchronized void start() {
        for (SelectorThread selector : selectors) {
            selector.start();
        }
        acceptor.start();
        try {
            acceptor.syncStart();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        cleanup.start();
        sweeper.start();
    }

    @Override
    public HttpSession createSession(Socket socket) throws RejectedSessionException {
        if (sessionCount.get() >= options.connectionCountMax()) {
            throw new RejectedSessionException("too many connections");
        }
        socket.setSendBuffer(SEND_BUFFER_BYTES);
        socket.setNoDelay(true);
        HttpSession session = new HttpSession(socket, this);
        boolean isAdded = false;
        try {
            sessions.add(session);
            isAdded = true;
        } finally {
            if (isAdded) {
                sessionCount.incrementAndGet();
            } else {
                sessions.remove(session); // It may be there, although adding has failed.
            }
        }
        return session;
    }

    /** Called once for each connection, when its socket is closed. */
    void forget(HttpSession session) {
        sessionCount.decrementAndGet();
        try {
            sessions.remove(session);
        } catch (OutOfMemoryError _) { // It is removed: the set only failed to count that.
        }
    }

    /** Which paths are served on the port of a new connection. */
    ServedPaths servedPaths(Socket socket) {
        if (!address.hasGuardedPort()) {
            return ServedPaths.ALL;
        }
        return socket.getLocalAddress().getPort() == address.guardedPort()
                ? ServedPaths.GUARDED
                : ServedPaths.OTHERS;
    }

    String url() {
        return url;
    }

    HttpOptions options() {
        return options;
    }

    Router router() {
        return router;
    }

    /** Creates the memory account of a new connection. */
    ConnectionMemory connectionMemory() {
        return new ConnectionMemory(connectionMemory, sweeper::wake);
    }

    /** The memory that all connections hold together. */
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
     * Stops accepting connections, waits for answers in flight until a deadline, and closes all
     * connections.
     */
    @Override
    public void stop() {
        if (!stopping.compareAndSet(false, true)) {
            return;
        }
        try {
            acceptor.shutdown();
            drain();
        } finally { // Whatever has failed: nothing ends the rest later.
            endAll();
        }
    }

    private void endAll() {
        try {
            sweeper.stop(); // Before the selectors: a check uses them.
        } finally {
            try {
                stopSelectors();
            } finally {
                sessions.forEach(HttpSession::closeAtLast);
            }
        }
    }

    private void drain() {
        long deadlineNanos = System.nanoTime() + options.drainTimeout().toNanos();
        sessions.forEach(HttpSession::drain);
        while (sessionCount.get() > 0 && System.nanoTime() < deadlineNanos) {
            sessions.forEach(HttpSession::drain);
            pause();
        }
    }

    /** As one-nio's method, without its MXBean, and without its pool, which has no thread. */
    private void stopSelectors() {
        cleanup.shutdown();
        acceptor.shutdown(); // Again, in case the first call has failed.
        for (SelectorThread selector : selectors) {
            selector.setUncaughtExceptionHandler((_, failure) -> selectorEnded(selector, failure));
            selector.shutdown();
        }
    }

    /**
     * Called if an exception ends a selector thread while the server stops. one-nio closes the
     * selector while its thread still uses it, and does not catch all exceptions that this causes.
     * Such an exception is ignored, because the thread ends anyway. An error, or an exception
     * before the selector was closed, is treated as uncaught.
     */
    private static void selectorEnded(SelectorThread thread, Throwable failure) {
        if (failure instanceof Error || thread.selector.isOpen()) {
            thread.getThreadGroup().uncaughtException(thread, failure);
        }
    }

    /** Stops the server. It need not have been started. */
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
