package dht.peer;

import dht.http.ErrorLog;
import dht.peer.PeerAnswer.NoMemory;
import dht.peer.PeerAnswer.TimedOut;
import dht.peer.PeerAnswer.Unreachable;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import one.nio.net.Socket;
import one.nio.pool.PoolException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to another node, with a thread that waits for answers, one at a time. Even while the
 * connection is idle, the thread waits in a read from the socket. This has two advantages. First, a
 * caller can send a request on its own thread, and the connection's thread wakes up only once: when
 * the answer arrives. Second, the connection's thread notices at once when the node closes the
 * connection.
 *
 * <pre>
 *   no socket ── a request waits: connect ──▶ in flight ── answered ──▶ idle ── claimed ──▶ in flight
 *       ▲                                        │                        │
 *       └──────────── broken, overdue ───────────┴──── closed by the node ┘
 * </pre>
 *
 * <p>Thread-safe.
 */
final class PeerConnection {
    private static final Logger LOG = LoggerFactory.getLogger(PeerConnection.class);

    /** The slowest allowed transfer: this many bytes per timeout. */
    private static final int BYTES_PER_TIMEOUT = 1 << 20;

    /**
     * How long sending may still take after the answer has arrived. If it takes longer, the node
     * has probably answered before it has read the whole request, and the connection is closed.
     */
    private static final long SEND_RETURNS_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(20);

    private static final PeerAnswer UNREACHABLE = new Unreachable("no memory to say why");

    private final PeerConnections all;
    private final RequestWriter writer;
    private final AnswerReader reader;
    private final long timeoutNanos;
    private final Thread thread;

    /**
     * Null while there is no connection. Only the connection's thread writes this field. Other
     * threads may close the socket, so that a read or write on it ends. They hold this object's
     * lock while they do so: if two threads closed the socket at the same time, one-nio would close
     * the file descriptor twice, and the second close could close a new file with the same
     * descriptor.
     */
    private volatile Socket socket;

    /**
     * The call that is in flight, or null. Written by the connection's thread; while the connection
     * is idle, by the caller that claims it.
     */
    private volatile PeerCall call;

    /**
     * @param timeoutNanos how long a call may take, from the beginning of the request to the end of
     *     the answer. A call gets this time once more for each {@value #BYTES_PER_TIMEOUT} bytes
     *     that were sent or received
     */
    PeerConnection(
            String name,
            PeerConnections all,
            RequestWriter writer,
            AnswerReader reader,
            long timeoutNanos) {
        this.all = all;
        this.writer = writer;
        this.reader = reader;
        this.timeoutNanos = timeoutNanos;
        this.thread = Thread.ofPlatform().name(name).unstarted(this::work);
    }

    /**
     * Starts the thread, and the checks of deadlines.
     *
     * @param pauseNanos time between two checks. The checks replace a timeout of the socket, which
     *     would need one more system call per request
     */
    void start(TimeoutQueue timeouts, long pauseNanos) {
        timeouts.add(new DeadlineCheck(timeouts, pauseNanos), pauseNanos);
        thread.start();
    }

    /**
     * Checks the deadline of the call in flight, repeatedly, until the connection's thread ends.
     */
    private final class DeadlineCheck extends TimeoutQueue.Timeout {
        private final TimeoutQueue timeouts;
        private final long pauseNanos;

        DeadlineCheck(TimeoutQueue timeouts, long pauseNanos) {
            this.timeouts = timeouts;
            this.pauseNanos = pauseNanos;
        }

        @Override
        protected boolean isOver() {
            return thread.getState() == Thread.State.TERMINATED;
        }

        @Override
        protected void expire() {
            try {
                checkDeadline(System.nanoTime());
            } finally {
                timeouts.add(this, pauseNanos);
            }
        }
    }

    Thread thread() {
        return thread;
    }

    /**
     * Assigns a call to this connection, which must no longer be idle. The caller must then send
     * the call.
     */
    void claim(PeerCall claiming) {
        claiming.beginSending();
        call = claiming;
    }

    /**
     * Sends the call that has claimed the connection. If that fails, closes the socket, so that the
     * thread ends the call. Throws nothing: if it threw, the caller would end the call, and the
     * connection's thread would end it again.
     */
    void send(PeerCall claiming) {
        boolean isWhole = false;
        try {
            writer.send(socket, claiming);
            isWhole = true;
        } catch (IOException e) {
            logUnsent(e);
        } catch (RuntimeException | Error e) {
            ErrorLog.log(LOG, "cannot send a request: node={}", all, e);
        } finally {
            if (!isWhole) {
                closeSocket();
            }
            claiming.finishSending(writer.sentBytes() > 0);
        }
    }

    /** Throws nothing. */
    private void logUnsent(IOException reason) {
        try {
            LOG.debug("cannot send a request: node={}", all, reason);
        } catch (OutOfMemoryError _) { // No memory for the log either.
        }
    }

    /**
     * Closes the socket because the call that has claimed the connection cannot be sent. The thread
     * then ends the call.
     */
    void abandonUnsent(PeerCall claiming) {
        closeSocket();
        claiming.finishSending(false);
    }

    /** Gives up the call in flight if its deadline has passed. */
    private void checkDeadline(long nowNanos) {
        PeerCall current = call;
        if (current == null) {
            return;
        }
        long timeouts = 1 + (writer.sentBytes() + reader.receivedBytes()) / BYTES_PER_TIMEOUT;
        if (nowNanos - current.sendBeganNanos() > timeouts * timeoutNanos) {
            giveUp(current);
        }
    }

    /**
     * Gives the call up and closes the socket, both under one lock. As soon as the connection's
     * thread sees that the call was given up, it may open a new socket, and this method must not
     * close the new one.
     */
    private synchronized void giveUp(PeerCall overdue) {
        if (overdue.tryGiveUp()) {
            closeSocket();
        }
    }

    /** Closes the socket, which ends the thread's wait. */
    synchronized void closeSocket() {
        Socket current = socket;
        if (current != null) {
            current.close();
        }
    }

    private void work() {
        boolean isOver = false;
        while (!isOver) {
            try {
                isOver = !step();
            } catch (Throwable e) { // No memory, or a bug: the thread goes on.
                abort(e);
            }
        }
    }

    /** Serves one call, or waits while idle. Returns false when the thread must end. */
    private boolean step() {
        PeerCall next = socket == null ? all.awaitCall() : all.pollCallOrBecomeIdle(this);
        if (next != null) {
            serve(next);
        } else if (socket != null) {
            awaitAnswer();
        }
        return next != null || socket != null || !all.isClosing();
    }

    private void serve(PeerCall next) {
        try {
            if (next.ageNanos(System.nanoTime()) > timeoutNanos) {
                next.expire();
            } else if (next.tryBegin()) {
                exchange(next);
            } else {
                next.failFast();
            }
        } catch (RuntimeException | Error e) {
            if (call != next) { // Otherwise abort ends it, after the sender has finished.
                next.end(failure(e));
            }
            throw e;
        }
    }

    private void exchange(PeerCall next) {
        long begunNanos = System.nanoTime();
        try {
            if (socket == null) {
                socket = all.open();
                if (all.isClosed()) {
                    // close() may have closed all sockets before this one existed.
                    closeSocket();
                }
            }
        } catch (PoolException | RuntimeException | Error e) {
            next.end(failure(e), begunNanos);
            return;
        }
        claim(next);
        all.send(this, next);
        awaitAnswer();
    }

    private void awaitAnswer() {
        PeerAnswer answer;
        boolean isBroken = false;
        try {
            answer = reader.receive(socket);
        } catch (IOException e) {
            answer = failure(e);
            isBroken = true;
        } catch (RuntimeException | Error e) {
            ErrorLog.log(LOG, "cannot receive an answer: node={}", all, e);
            answer = failure(e);
        }
        if (call == null && all.removeIdle(this)) {
            // No call was sent: the node, or PeerConnections.close, has closed the socket.
            drop();
            answer.release();
        } else {
            settle(call, answer, isBroken);
        }
    }

    private void settle(PeerCall done, PeerAnswer answer, boolean isBroken) {
        boolean inTime = done.trySettle();
        boolean isUsable =
                inTime && reader.isReusable() && done.awaitSendFinished(SEND_RETURNS_NANOS_MAX);
        if (!isUsable) {
            closeSocket();
            // The socket is closed, so the sender's write fails soon.
            done.awaitSendFinished(Long.MAX_VALUE);
            drop();
        }
        call = null;
        if (!inTime) {
            answer.release();
            done.end(TimedOut.INSTANCE, done.sendBeganNanos());
        } else if (isBroken && reader.receivedBytes() == 0 && done.tryRepeat()) {
            // The node may have closed an idle connection just before the request arrived.
            exchange(done);
        } else {
            done.end(answer, done.sendBeganNanos());
        }
    }

    /** Handles an unexpected exception: ends the call and closes the socket. */
    private void abort(Throwable reason) {
        closeSocket();
        // If a caller has already claimed the connection, it is not idle, and there is a call.
        all.removeIdle(this);
        PeerCall broken = call;
        if (broken != null) {
            broken.awaitSendFinished(Long.MAX_VALUE);
            call = null;
            broken.end(failure(reason));
        }
        if (socket != null) {
            drop();
        }
        ErrorLog.log(LOG, "a request failed, and its connection was closed: node={}", all, reason);
    }

    private void drop() {
        Socket dropped;
        synchronized (this) { // After this, no other thread closes this socket.
            dropped = socket;
            socket = null;
        }
        all.discard(dropped);
    }

    /** Never throws, even if there is no memory. */
    private static PeerAnswer failure(Throwable failure) {
        try {
            Throwable root = failure;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            if (root instanceof OutOfMemoryError) {
                return NoMemory.INSTANCE;
            }
            String message = root.getMessage();
            return new Unreachable(message == null ? root.getClass().getSimpleName() : message);
        } catch (OutOfMemoryError e) {
            return UNREACHABLE;
        }
    }
}
