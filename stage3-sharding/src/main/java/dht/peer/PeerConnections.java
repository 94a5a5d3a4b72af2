package dht.peer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.cluster.NodeAddress;
import dht.http.MemoryBudget;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import one.nio.net.ConnectionString;
import one.nio.net.Socket;
import one.nio.pool.PoolException;
import one.nio.pool.SocketPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All connections to another node, and the requests that wait for one. A request that finds an idle
 * connection is sent at once, by the thread that brings it; only a long one, for which it would
 * have to wait, is sent by another.
 *
 * <p>Sockets come from one-nio's pool; requests and answers are written and read by {@link
 * RequestWriter} and {@link AnswerReader}, not by one-nio's {@code HttpClient}: that makes several
 * copies of a value on the heap, however large, and has no deadline for an answer that comes byte
 * by byte.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>A connection is idle only while no call waits.
 *   <li>A connection that is claimed is not idle, and has the call; then its thread ends the call,
 *       however sending it went.
 *   <li>Taking a call in needs no memory: both queues have room for all that they may hold.
 * </ol>
 *
 * <p>Thread-safe.
 */
final class PeerConnections implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PeerConnections.class);
    private static final long SENDER_IDLE_SECONDS_MAX = 10;

    /** So often in a timeout: a request that is over its time is found that much later at most. */
    private static final int LOOKS_PER_TIMEOUT = 10;

    private static final long LOOK_PAUSE_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(5);

    private final PeerOptions options;
    private final SocketPool sockets;
    private final List<PeerConnection> connections;
    private final TimeoutThread timeoutThread;

    /** Sends long requests. No more at a time than there are connections, so none is refused. */
    private final ThreadPoolExecutor senders;

    @GuardedBy("this")
    private final Deque<PeerConnection> idle;

    @GuardedBy("this")
    private final Queue<PeerCall> waiting;

    @GuardedBy("this")
    private boolean closing;

    /** What is in flight is broken off. Turns true once. */
    private volatile boolean closed;

    PeerConnections(
            NodeAddress node,
            Credentials credentials,
            PeerOptions options,
            MemoryBudget answerMemory) {
        this(
                node,
                credentials,
                options,
                answerMemory,
                Thread.ofPlatform().name(name(node) + "send-", 1).factory());
    }

    /**
     * @param senderThreads that send long requests
     */
    PeerConnections(
            NodeAddress node,
            Credentials credentials,
            PeerOptions options,
            MemoryBudget answerMemory,
            ThreadFactory senderThreads) {
        this.options = options;
        this.idle = new ArrayDeque<>(options.connectionCount());
        this.waiting = new ArrayDeque<>(options.queueLengthMax());
        NodeAddress internal = options.internalPort().of(node);
        this.sockets = new SocketPool(connectionString(internal, options));
        String name = name(node);
        this.senders = senders(senderThreads, options.connectionCount());
        this.connections =
                IntStream.rangeClosed(1, options.connectionCount())
                        .mapToObj(
                                number ->
                                        new PeerConnection(
                                                name + number,
                                                this,
                                                new RequestWriter(internal, credentials),
                                                new AnswerReader(answerMemory),
                                                options.requestTimeout().toNanos()))
                        .toList();
        this.timeoutThread = new TimeoutThread(name + "deadlines");
        try {
            startAll();
        } catch (Throwable e) { // No memory for a thread: those before it must not stay behind.
            close();
            throw e;
        }
    }

    private void startAll() {
        long pauseNanos =
                Math.max(
                        LOOK_PAUSE_NANOS_MIN,
                        options.requestTimeout().toNanos() / LOOKS_PER_TIMEOUT);
        TimeoutQueue timeouts = timeoutThread.queue(pauseNanos, pauseNanos);
        connections.forEach(connection -> connection.start(timeouts, pauseNanos));
    }

    private static String name(NodeAddress node) {
        return "peer-" + node.host() + ":" + node.port() + "-";
    }

    /** Without a timeout for reads: one-nio would poll before each, and the watch ends them. */
    private static ConnectionString connectionString(NodeAddress node, PeerOptions options) {
        return new ConnectionString(
                "%s?clientMaxPoolSize=%d&connectTimeout=%d&readTimeout=0&timeout=%d"
                        .formatted(
                                node.url(),
                                options.connectionCount(),
                                options.connectTimeout().toMillis(),
                                options.requestTimeout().toMillis()));
    }

    private static ThreadPoolExecutor senders(ThreadFactory threads, int count) {
        ThreadPoolExecutor senders =
                new ThreadPoolExecutor(
                        count,
                        count,
                        SENDER_IDLE_SECONDS_MAX,
                        TimeUnit.SECONDS,
                        new ArrayBlockingQueue<>(count),
                        threads);
        senders.allowCoreThreadTimeOut(true);
        return senders;
    }

    /** Has it sent now, or when a connection is free; refuses it if too many wait. */
    void ask(PeerCall call) {
        PeerConnection claimed = null;
        boolean isAllowed = true;
        boolean hasRoom = true;
        synchronized (this) {
            if (!idle.isEmpty() && !closing) {
                isAllowed = call.tryBegin();
                if (isAllowed) {
                    claimed = idle.pop();
                    claimed.claim(call);
                }
            } else if (!closing && waiting.size() < options.queueLengthMax()) {
                waiting.add(call);
                notify(); // A thread without a socket, if there is one.
            } else {
                hasRoom = false;
            }
        }
        if (claimed != null) {
            send(claimed, call);
        } else if (!isAllowed) {
            call.failFast();
        } else if (!hasRoom) {
            call.refuse();
        }
    }

    /**
     * Sends it over a connection that it has to itself, without waiting for the node. Throws
     * nothing: the connection's thread finds what went wrong.
     */
    void send(PeerConnection connection, PeerCall call) {
        if (RequestWriter.isShort(call.request())) {
            connection.send(call);
            return;
        }
        try {
            senders.execute(() -> connection.send(call));
        } catch (RuntimeException | Error e) { // No thread is to be had.
            connection.breakUnsent(call);
            logNoThread(e);
        }
    }

    private static void logNoThread(Throwable reason) {
        try {
            LOG.error("no thread for a long request: {}", reason.toString());
        } catch (OutOfMemoryError e) {
            LOG.error("no thread for a long request");
        }
    }

    /** Waits for a request; null at the end. */
    synchronized PeerCall awaitCall() {
        while (waiting.isEmpty() && !closing) {
            try {
                wait();
            } catch (InterruptedException e) {
                LOG.debug("nobody interrupts this thread", e);
            }
        }
        return waiting.poll();
    }

    /** The next request that waits; if there is none, the connection is idle. */
    synchronized PeerCall takeCallOrRest(PeerConnection connection) {
        PeerCall next = waiting.poll();
        if (next == null) {
            idle.push(connection);
            if (closing) {
                connection.closeSocket();
            }
        }
        return next;
    }

    /** Whether the connection was idle, and is no more. */
    synchronized boolean leaveIdle(PeerConnection connection) {
        return idle.remove(connection);
    }

    synchronized boolean isClosing() {
        return closing;
    }

    boolean isClosed() {
        return closed;
    }

    Socket open() throws PoolException {
        try {
            return sockets.borrowObject();
        } catch (InterruptedException e) {
            throw new PoolException("interrupted", e);
        }
    }

    void discard(Socket socket) {
        sockets.invalidateObject(socket);
    }

    /** How many requests wait. */
    synchronized int waitingCount() {
        return waiting.size();
    }

    /** Whether half of those wait who may. */
    synchronized boolean isHalfFull() {
        return 2L * waiting.size() >= options.queueLengthMax();
    }

    /** How many connections have a socket. */
    int openCount() {
        synchronized (sockets) {
            return sockets.getBusyCount();
        }
    }

    /** Whether all its threads have ended, as they have after {@link #close}. */
    boolean hasEnded() {
        return connections.stream().noneMatch(connection -> connection.thread().isAlive())
                && senders.isTerminated()
                && timeoutThread.hasEnded();
    }

    /** Ends what waits and is in flight as far as the deadline allows, and breaks off the rest. */
    @Override
    public void close() {
        long deadlineNanos = System.nanoTime() + options.drainTimeout().toNanos();
        synchronized (this) {
            closing = true;
            idle.forEach(PeerConnection::closeSocket);
            notifyAll();
        }
        awaitEnd(deadlineNanos);
        refuseWaiting();
        closed = true;
        sockets.close();
        connections.forEach(PeerConnection::closeSocket);
        long endNanos = System.nanoTime() + options.connectTimeout().toNanos();
        awaitEnd(endNanos);
        senders.shutdown(); // Whoever still sends fails: the sockets are closed.
        awaitEnd(senders, endNanos);
        timeoutThread.close();
    }

    private void awaitEnd(long deadlineNanos) {
        for (PeerConnection connection : connections) {
            try {
                long restNanos = Math.max(1, deadlineNanos - System.nanoTime());
                TimeUnit.NANOSECONDS.timedJoin(connection.thread(), restNanos);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void awaitEnd(ExecutorService threads, long deadlineNanos) {
        try {
            long restNanos = Math.max(1, deadlineNanos - System.nanoTime());
            threads.awaitTermination(restNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void refuseWaiting() {
        List<PeerCall> rest;
        synchronized (this) {
            rest = new ArrayList<>(waiting);
            waiting.clear();
        }
        rest.forEach(PeerCall::refuse);
    }
}
