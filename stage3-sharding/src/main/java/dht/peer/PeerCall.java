package dht.peer;

import dht.http.EntityRequest;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request to another node: what is asked, the receiver of its answer, and how far it has come.
 *
 * <pre>
 *   WAITING ── sendingBegins ──▶ IN_FLIGHT ─┬─ trySettle ──▶ SETTLED ─┬─▶ ENDED
 *      │            ▲                       └─ tryGiveUp ──▶ OVERDUE ─┤
 *      │            └────────────── once more, at most ───────────────┤
 *      └───────────────── not sent at all, or sent by another client ─┘
 * </pre>
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>The receiver gets one answer; what ends the call a second time changes nothing.
 *   <li>A sending is settled by the thread that waits for its answer, or given up by the one that
 *       looks at deadlines: by one of the two.
 *   <li>While {@code sent} is false, a sender reads the request, and the connection is its own.
 *   <li>Once the call is made, nothing here needs memory.
 * </ol>
 *
 * <p>Thread-safe.
 */
public final class PeerCall {
    private enum State {
        WAITING,
        IN_FLIGHT,
        /** The answer is here, or will not come. */
        SETTLED,
        /** It was given up. */
        OVERDUE,
        /** The receiver has its answer. */
        ENDED
    }

    private static final Logger LOG = LoggerFactory.getLogger(PeerCall.class);

    private final PeerHealth health;
    private final EntityRequest request;
    private final long timestampMicros;
    private final Consumer<PeerAnswer> receiver;
    private final long madeNanos = System.nanoTime();
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    /** When the latest sending began. */
    private volatile long beganNanos;

    private boolean isRepeat; // Of the thread that waits for the answer.

    /** Whether a byte of it may have reached the node. Written before {@link #sent}. */
    private boolean reached;

    private volatile boolean sent = true;

    /**
     * @param health of the node
     * @param timestampMicros the stamp of the version to be written, or 0: then the node stamps it
     * @param receiver must not throw
     */
    public PeerCall(
            PeerHealth health,
            EntityRequest request,
            long timestampMicros,
            Consumer<PeerAnswer> receiver) {
        this.health = health;
        this.request = request;
        this.timestampMicros = timestampMicros;
        this.receiver = receiver;
    }

    public EntityRequest request() {
        return request;
    }

    /** 0 if the node stamps it. */
    public long timestampMicros() {
        return timestampMicros;
    }

    /** How long it has been waiting. */
    long ageNanos(long nowNanos) {
        return nowNanos - madeNanos;
    }

    /**
     * Whether the node is to be asked at all. After yes comes {@link #end}, after no {@link
     * #failFast}.
     */
    public boolean tryBegin() {
        return health.tryEnter();
    }

    /** It is not asked. */
    public void failFast() {
        if (tryEnd()) {
            tell(health.rejected());
        }
    }

    /** There is no room for it. Comes without {@link #tryBegin}. */
    public void refuse() {
        if (tryEnd()) {
            tell(health.queueFull());
        }
    }

    /**
     * It has waited for too long: behind a node that doesn't answer, it fares as those before it.
     * Comes without {@link #tryBegin}.
     */
    void expire() {
        if (health.isFailing()) {
            failFast();
        } else {
            refuse();
        }
    }

    /** Takes its answer over, by which the node is judged. */
    public void end(PeerAnswer answer, long sentNanos) {
        try {
            health.judged(answer, sentNanos);
        } catch (OutOfMemoryError e) {
            LOG.debug("no memory to judge a node");
        }
        end(answer);
    }

    /** Takes its answer over; the node is judged by the message that brought it. */
    public void end(PeerAnswer answer) {
        if (!tryEnd()) {
            answer.release();
            return;
        }
        try {
            health.counted(answer);
        } catch (OutOfMemoryError e) {
            LOG.debug("no memory to count an answer");
        }
        tell(answer);
    }

    private boolean tryEnd() {
        return state.getAndSet(State.ENDED) != State.ENDED;
    }

    private void tell(PeerAnswer answer) {
        try {
            receiver.accept(answer);
        } catch (RuntimeException | Error e) { // Against its promise.
            LOG.error("what another node answered could not be used", e);
        }
    }

    /** It is about to be sent, by whoever calls {@link #sent} then. */
    void sendingBegins() {
        reached = false;
        sent = false;
        beganNanos = System.nanoTime();
        state.set(State.IN_FLIGHT);
    }

    /** By {@link System#nanoTime}. */
    long beganNanos() {
        return beganNanos;
    }

    /** Whether it is the answering thread's; false if it was given up before. */
    boolean trySettle() {
        return state.compareAndSet(State.IN_FLIGHT, State.SETTLED);
    }

    /** Whether it is given up; false if it is settled. */
    boolean tryGiveUp() {
        return state.compareAndSet(State.IN_FLIGHT, State.OVERDUE);
    }

    /**
     * The sender has done what it could.
     *
     * @param hasReached whether a byte has gone out
     */
    void sent(boolean hasReached) {
        reached = hasReached;
        sent = true;
    }

    /**
     * Waits until the sender has let go: no longer than it takes a write to return, unless the node
     * answers what it has not read.
     *
     * @return whether it has
     */
    boolean awaitSent(long nanosMax) {
        long startNanos = sent ? 0 : System.nanoTime();
        while (!sent) {
            if (System.nanoTime() - startNanos > nanosMax) {
                return false;
            }
            Thread.yield();
        }
        return true;
    }

    /**
     * Whether it may be sent again, when it was sent and no answer has begun; yes only once. A
     * write that the node stamps itself it may not, if it may have come in: done again, it would be
     * newer than what others have written in between.
     */
    boolean tryRepeat() {
        boolean isSafe = !reached || request instanceof EntityRequest.Get || timestampMicros > 0;
        boolean isFirst = !isRepeat;
        isRepeat = true;
        return isFirst && isSafe;
    }
}
