package dht.peer;

import dht.peer.PeerAnswer.TimedOut;
import dht.peer.PeerAnswer.TooLarge;
import dht.peer.PeerAnswer.Unreachable;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import one.nio.net.Socket;
import one.nio.pool.PoolException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to another node, with a thread that waits for its answers, one at a time. While it
 * is idle the thread waits already, so that whoever has a request sends it, and nobody has to be
 * woken but by the answer; and so that it sees at once when the node closes the connection.
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

    /** A node that is slower than this, for each timeout, isn't waited for. */
    private static final int BYTES_PER_TIMEOUT = 1 << 20;

    /** Beyond it the node has answered what it has not read yet. */
    private static final long SEND_RETURNS_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(20);

    private static final PeerAnswer UNREACHABLE = new Unreachable("no memory to say why");

    private final PeerConnections all;
    private final RequestWriter writer;
    private final AnswerReader reader;
    private final long timeoutNanos;
    private final Thread thread;

    /**
     * Null where there is none. Written by the thread; whoever wants it to end closes it, under
     * this: one-nio would close a descriptor once for each of two who come together, and by then it
     * may be another's.
     */
    private volatile Socket socket;

    /**
     * The call that is served, or null. Written by the thread, or while the connection is idle by
     * the caller that claims it.
     */
    private volatile PeerCall call;

    /**
     * @param timeoutNanos from the beginning of the request to the end of the answer, and once more
     *     for each {@value #BYTES_PER_TIMEOUT} bytes that have come or gone
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
     * Starts its thread, and has its deadlines watched.
     *
     * @param pauseNanos between two looks at what is in flight: no request needs a system call to
     *     limit its own wait
     */
    void start(TimeoutQueue timeouts, long pauseNanos) {
        timeouts.add(new DeadlineCheck(timeouts, pauseNanos), pauseNanos);
        thread.start();
    }

    /** Comes again and again, as long as the connection's thread lives. */
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

    /** Called when it is idle no more: the call is sent over it, and nothing else before that. */
    void claim(PeerCall claiming) {
        claiming.sendingBegins();
        call = claiming;
    }

    /** Sends what has claimed it. If that fails, the thread finds the socket closed. */
    void send(PeerCall claiming) {
        boolean isWhole = false;
        try {
            writer.send(socket, claiming);
            isWhole = true;
        } catch (IOException e) {
            LOG.debug("cannot send", e);
        } catch (RuntimeException | Error e) {
            LOG.error("cannot send", e);
        } finally {
            if (!isWhole) {
                closeSocket();
            }
            claiming.sent(writer.sentBytes() > 0);
        }
    }

    /** Has the thread find that nobody sends what has claimed it. */
    void breakUnsent(PeerCall claiming) {
        closeSocket();
        claiming.sent(false);
    }

    /** Breaks what is in flight off, if it has taken too long. */
    private void checkDeadline(long nowNanos) {
        PeerCall current = call;
        if (current == null) {
            return;
        }
        long timeouts = 1 + (writer.sentBytes() + reader.receivedBytes()) / BYTES_PER_TIMEOUT;
        if (nowNanos - current.beganNanos() > timeouts * timeoutNanos) {
            giveUp(current);
        }
    }

    /** Both at once: when the thread sees it given up, the next socket may be about to come. */
    private synchronized void giveUp(PeerCall overdue) {
        if (overdue.tryGiveUp()) {
            closeSocket();
        }
    }

    /** Has the thread find it closed. */
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
            } catch (Throwable e) { // Want of memory, or a bug: the next request isn't to blame.
                breakOff(e);
            }
        }
    }

    /** False at the end. */
    private boolean step() {
        PeerCall next = socket == null ? all.awaitCall() : all.takeCallOrRest(this);
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
            next.end(failure(e));
            throw e;
        }
    }

    private void exchange(PeerCall next) {
        long begunNanos = System.nanoTime();
        try {
            if (socket == null) {
                socket = all.open();
                if (all.isClosed()) { // Otherwise whoever closes it may have looked before.
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
            LOG.error("cannot receive", e);
            answer = failure(e);
        }
        if (call == null && all.leaveIdle(this)) {
            drop(); // Nobody has asked: the node has closed it, or it is the end.
            answer.release();
        } else {
            settle(call, answer, isBroken);
        }
    }

    private void settle(PeerCall done, PeerAnswer answer, boolean isBroken) {
        boolean inTime = done.trySettle();
        boolean isUsable = inTime && reader.isInStep() && done.awaitSent(SEND_RETURNS_NANOS_MAX);
        if (!isUsable) {
            closeSocket();
            done.awaitSent(Long.MAX_VALUE); // What is being sent is gone after the answer.
            drop();
        }
        call = null;
        if (!inTime) {
            answer.release();
            done.end(TimedOut.INSTANCE, done.beganNanos());
        } else if (isBroken && reader.receivedBytes() == 0 && done.tryRepeat()) {
            exchange(done); // The node may have closed it just when it was asked.
        } else {
            done.end(answer, done.beganNanos());
        }
    }

    /** Something was thrown where nothing should be: the call ends, and so does the socket. */
    private void breakOff(Throwable reason) {
        closeSocket();
        all.leaveIdle(this); // If a caller was faster, there is a call.
        PeerCall broken = call;
        if (broken != null) {
            broken.awaitSent(Long.MAX_VALUE);
            call = null;
            broken.end(failure(reason));
        }
        if (socket != null) {
            drop();
        }
        LOG.error("a request failed", reason);
    }

    private void drop() {
        Socket dropped;
        synchronized (this) { // From here on nobody else closes it.
            dropped = socket;
            socket = null;
        }
        all.discard(dropped);
    }

    /** Throws nothing, also where there is no memory. */
    private static PeerAnswer failure(Throwable failure) {
        try {
            Throwable root = failure;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            if (root instanceof OutOfMemoryError) {
                return TooLarge.INSTANCE; // This node's own want: the other is well.
            }
            String message = root.getMessage();
            return new Unreachable(message == null ? root.getClass().getSimpleName() : message);
        } catch (OutOfMemoryError e) {
            return UNREACHABLE;
        }
    }
}
