package dht.peer;

import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerAnswer.TimedOut;
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

    /** What is in flight, or null. Written by the thread, or while idle by who claims it. */
    private volatile Attempt attempt;

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

    /**
     * Called when it is idle no more: the request is sent over it, and nothing else before that.
     */
    Attempt claim(PeerCall ask) {
        Attempt claimed = new Attempt(ask, false);
        attempt = claimed;
        return claimed;
    }

    /** Sends what has claimed it. If that fails the thread sees it, and says what became of it. */
    void send(Attempt claimed) {
        boolean isWhole = false;
        try {
            writer.send(socket, claimed.ask());
            isWhole = true;
        } catch (IOException e) {
            LOG.debug("cannot send: {}", e.getMessage());
        } catch (RuntimeException | Error e) {
            LOG.error("cannot send", e);
        } finally {
            if (!isWhole) {
                closeSocket();
            }
            claimed.sent(writer.sentBytes() > 0);
        }
    }

    /** Has the thread find that nobody sends what has claimed it. */
    void breakUnsent(Attempt claimed) {
        closeSocket();
        claimed.sent(false);
    }

    /** Breaks what is in flight off, if it has taken too long. */
    private void checkDeadline(long nowNanos) {
        Attempt current = attempt;
        if (current == null) {
            return;
        }
        long timeouts = 1 + (writer.sentBytes() + reader.receivedBytes()) / BYTES_PER_TIMEOUT;
        if (current.ageNanos(nowNanos) > timeouts * timeoutNanos) {
            giveUp(current);
        }
    }

    /** Both at once: when the thread sees it given up, the next socket may be about to come. */
    private synchronized void giveUp(Attempt overdue) {
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
            } catch (Throwable e) { // Somebody did not take an answer; the next one isn't to blame.
                LOG.error("a request failed", e);
            }
        }
    }

    /** False at the end. */
    private boolean step() {
        PeerCall ask = socket == null ? all.awaitAsk() : all.takeAskOrRest(this);
        if (ask != null) {
            serve(ask);
        } else if (socket != null) {
            awaitAnswer();
        }
        return ask != null || socket != null || !all.isClosing();
    }

    private void serve(PeerCall ask) {
        if (ask.ageNanos(System.nanoTime()) > timeoutNanos) {
            ask.expire();
        } else if (ask.tryBegin()) {
            exchange(ask, false);
        } else {
            ask.failFast();
        }
    }

    private void exchange(PeerCall ask, boolean isRepeat) {
        long begunNanos = System.nanoTime();
        try {
            if (socket == null) {
                socket = all.open();
                if (all.isClosed()) { // Otherwise whoever closes it may have looked before.
                    closeSocket();
                }
            }
        } catch (PoolException | RuntimeException | Error e) {
            ask.end(new Unreachable(rootMessage(e)), begunNanos);
            return;
        }
        Attempt own = new Attempt(ask, isRepeat);
        attempt = own;
        all.send(this, own);
        awaitAnswer();
    }

    private void awaitAnswer() {
        PeerAnswer answer;
        boolean isBroken = false;
        try {
            answer = reader.receive(socket);
        } catch (IOException e) {
            answer = new Unreachable(rootMessage(e));
            isBroken = true;
        } catch (RuntimeException | Error e) {
            LOG.error("cannot receive", e);
            answer = new Unreachable(e.toString());
        }
        if (attempt == null && all.leaveIdle(this)) {
            drop(); // Nobody has asked: the node has closed it, or it is the end.
            release(answer);
        } else {
            settle(attempt, answer, isBroken);
        }
    }

    private void settle(Attempt done, PeerAnswer answer, boolean isBroken) {
        boolean inTime = done.trySettle();
        boolean isUsable = inTime && reader.isInStep() && done.awaitSent(SEND_RETURNS_NANOS_MAX);
        if (!isUsable) {
            closeSocket();
            done.awaitSent(Long.MAX_VALUE); // What is being sent is gone after the answer.
            drop();
        }
        attempt = null;
        if (!inTime) {
            release(answer);
            done.ask().end(new TimedOut(), done.beganNanos());
        } else if (isBroken && reader.receivedBytes() == 0 && done.mayRepeat()) {
            // The node may have closed it just when it was asked.
            exchange(done.ask(), true);
        } else {
            done.ask().end(answer, done.beganNanos());
        }
    }

    private static void release(PeerAnswer answer) {
        if (answer instanceof Answered answered) {
            answered.hold().release();
        }
    }

    private void drop() {
        Socket dropped;
        synchronized (this) { // From here on nobody else closes it.
            dropped = socket;
            socket = null;
        }
        all.discard(dropped);
    }

    private static String rootMessage(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
    }
}
