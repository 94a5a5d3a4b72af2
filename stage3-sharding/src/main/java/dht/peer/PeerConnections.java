package dht.peer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.cluster.NodeAddress;
import dht.http.ErrorLog;
import dht.http.MemoryBudget;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
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
 * All connections to another node, and the queue of requests that wait for a connection. If a
 * connection is idle, the caller's thread sends a short request itself. A long request is sent by
 * another thread, because writing it may block.
 *
 * <p>Sockets come from one-nio's pool. {@link RequestWriter} writes requests and {@link
 * AnswerReader} reads answers. They replace one-nio's {@code HttpClient} for two reasons. That
 * client copies each value several times on the heap. And it has no deadline for a whole answer, so
 * an answer that arrives byte by byte may take arbitrarily long.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>A connection is idle only while no call waits.
 *   <li>A claimed connection is not idle, and knows the call that has claimed it. The connection's
 *       thread ends the call, whether or not sending succeeded.
 *   <li>Adding a call needs no memory: both queues are created with room for their maximum.
 * </ol>
 *
 * <p>Thread-safe.
 */
final class PeerConnections implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PeerConnections.class);
    private static final long SENDER_IDLE_SECONDS_MAX = 10;

    /**
     * How many times per timeout the deadlines are checked. So a call ends at most a tenth of the
     * timeout after its deadline, or 5 ms if that is longer.
     */
    private static final int CHECKS_PER_TIMEOUT = 10;

    private static final long CHECK_PAUSE_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(5);

    private final NodeAddress node;
    private final PeerOptions options;
    private final SocketPool sockets;
    private final List<PeerConnection> connections;
    private final TimeoutThread timeoutThread;

    /**
     * Sends long requests. Each connection sends at most one at a time, so there are about as many
     * threads as connections. A thread takes a task at once, or the pool refuses it: a task that
     * waited could run after its call was abandoned.
     */
    private final ExecutorService senders;

    @GuardedBy("this")
    private final Deque<PeerConnection> idle;

    @GuardedBy("this")
    private final Queue<PeerCall> waiting;

    @GuardedBy("this")
    private boolean closing;

    /** True after the drain timeout: requests in flight are then aborted. Never reset. */
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
     * @param senderThreads creates the threads that send long requests
     */
    PeerConnections(
            NodeAddress node,
            Credentials credentials,
            PeerOptions options,
            MemoryBudget answerMemory,
            ThreadFactory senderThreads) {
        this.node = node;
        this.options = options;
        this.idle = new ArrayDeque<>(options.connectionCount());
        this.waiting = new ArrayDeque<>(options.queueLengthMax());
        NodeAddress internal = options.internalPort().of(node);
        this.sockets = new SocketPool(connectionString(internal, options));
        String name = name(node);
        this.senders =
                new ThreadPoolExecutor(
                        0,
                        Integer.MAX_VALUE, // A thread that has just sent may not be idle yet.
                        SENDER_IDLE_SECONDS_MAX,
                        TimeUnit.SECONDS,
                        new SynchronousQueue<>(),
                        senderThreads);
        this.connections =
                IntStream.rangeClosed(1, options.connectionCount())
                        .mapToObj(
                                number ->
                                        new PeerConnection(
                                                name + number,
                                                this,
                                                new RequestWriter(node, internal, credentials),
                                                new AnswerReader(answerMemory),
                                                options.requestTimeout().toNanos()))
                        .toList();
        this.timeoutThread = new TimeoutThread(name + "deadlines");
        try {
            startAll();
        } catch (Throwable e) {
            close(); // No memory for a thread: ends the threads that were already started.
            throw e;
        }
    }

    private void startAll() {
        long pauseNanos =
                Math.max(
                        CHECK_PAUSE_NANOS_MIN,
                        options.requestTimeout().toNanos() / CHECKS_PER_TIMEOUT);
        TimeoutQueue timeouts = timeoutThread.queue(pauseNanos, pauseNanos);
        connections.forEach(connection -> connection.start(timeouts, pauseNanos));
    }

    private static String name(NodeAddress node) {
        return "peer-" + node.host() + ":" + node.port() + "-";
    }

    /**
     * Reads have no timeout: with one, one-nio would call poll before each read. Instead, the
     * {@link TimeoutThread} ends reads that take too long.
     */
    private static ConnectionString connectionString(NodeAddress node, PeerOptions options) {
        return new ConnectionString(
                "%s?clientMaxPoolSize=%d&connectTimeout=%d&readTimeout=0&timeout=%d"
                        .formatted(
                                node.url(),
                                options.connectionCount(),
                                options.connectTimeout().toMillis(),
                                options.requestTimeout().toMillis()));
    }

    /**
     * Sends the call now if a connection is idle, otherwise later. Ends the call without sending it
     * if the circuit breaker rejects it, if the queue is full, or if this is closing.
     */
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
                notify(); // If the thread of a connection without a socket waits, this wakes it.
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
     * Sends a call over the connection that the call has claimed, without waiting for the node.
     * Throws nothing: if sending fails, the connection's thread sends the call once more or ends
     * it.
     */
    void send(PeerConnection connection, PeerCall call) {
        if (RequestWriter.isShort(call.request())) {
            connection.send(call);
            return;
        }
        try {
            senders.execute(() -> connection.send(call));
        } catch (RuntimeException | Error e) { // No thread could be started.
            connection.abandonUnsent(call);
            ErrorLog.log(
                    LOG,
                    "node {}: cannot start a thread to send a large request, so this attempt to send it fails",
                    node,
                    e);
        }
    }

    /** The node's URL. */
    @Override
    public String toString() {
        return node.toString();
    }

    /** Waits for a call; returns null when this is closing and no call waits. */
    synchronized PeerCall awaitCall() {
        while (waiting.isEmpty() && !closing) {
            try {
                wait();
            } catch (InterruptedException e) {
                LOG.debug("interrupted while waiting for a call: ignored", e);
            }
        }
        return waiting.poll();
    }

    /**
     * Returns the next waiting call. If there is none, returns null and makes the connection idle.
     */
    synchronized PeerCall pollCallOrBecomeIdle(PeerConnection connection) {
        PeerCall next = waiting.poll();
        if (next == null) {
            idle.push(connection);
            if (closing) {
                connection.closeSocket();
            }
        }
        return next;
    }

    /** Makes a connection no longer idle; returns whether it was idle. */
    synchronized boolean removeIdle(PeerConnection connection) {
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

    /** How many calls wait for a connection. */
    synchronized int waitingCount() {
        return waiting.size();
    }

    /** Whether the queue is at least half full. */
    synchronized boolean isHalfFull() {
        return 2L * waiting.size() >= options.queueLengthMax();
    }

    /** How many connections have a socket. */
    int openCount() {
        synchronized (sockets) {
            return sockets.getBusyCount();
        }
    }

    /**
     * Whether all threads of these connections have ended. True after {@link #close}, unless its
     * caller was interrupted, or a thread was still busy at the deadline.
     */
    boolean hasEnded() {
        return connections.stream().noneMatch(connection -> connection.thread().isAlive())
                && senders.isTerminated()
                && timeoutThread.hasEnded();
    }

    /**
     * Accepts no more requests. Waits for the requests in the queue and in flight, for at most the
     * drain timeout. Then refuses the requests that are still in the queue, aborts those in flight,
     * and waits for the threads, for at most the connect timeout. Waits for the thread that checks
     * deadlines until its current action has returned. Does not wait if the caller is interrupted.
     */
    @Override
    public void close() {
        long deadlineNanos = System.nanoTime() + options.drainTimeout().toNanos();
        try {
            drain(deadlineNanos);
        } finally {
            refuseWaiting();
        }
        closed = true;
        sockets.close();
        connections.forEach(PeerConnection::closeSocket);
        long endNanos = System.nanoTime() + options.connectTimeout().toNanos();
        awaitEnd(endNanos);
        senders.shutdown(); // A thread that still sends fails, because the sockets are closed.
        awaitEnd(senders, endNanos);
        timeoutThread.close();
    }

    private void drain(long deadlineNanos) {
        synchronized (this) {
            closing = true;
            notifyAll();
            idle.forEach(PeerConnection::closeSocket);
        }
        awaitEnd(deadlineNanos);
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

    /** Needs no memory. Ends, because no call is added any more. */
    private void refuseWaiting() {
        PeerCall next = pollCall();
        while (next != null) {
            next.refuse();
            next = pollCall();
        }
    }

    private synchronized PeerCall pollCall() {
        return waiting.poll();
    }
}
