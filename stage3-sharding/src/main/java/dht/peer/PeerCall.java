package dht.peer;

import dht.http.EntityRequest;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request to another node: the request, the receiver of its answer, and its state.
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
 *   <li>The receiver gets exactly one answer: ending the call a second time has no effect.
 *   <li>A sent call is either settled, by the thread that waits for its answer, or given up, by the
 *       thread that checks deadlines; never both.
 *   <li>While {@code sent} is false, a sender reads the request, and only that sender uses the
 *       connection.
 *   <li>After the constructor, the call needs no memory: it can be ended even when memory is
 *       exhausted.
 * </ol>
 *
 * <p>Thread-safe.
 */
public final class PeerCall {
    private enum State {
        WAITING,
        IN_FLIGHT,
        /** The answer has arrived, or receiving it has failed. */
        SETTLED,
        /** The call was given up: its deadline passed. */
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

    /** When the last attempt to send began. */
    private volatile long beganNanos;

    private boolean isRepeat; // Used only by the thread that waits for the answer.

    /** Whether a byte of the request may have reached the node. Written before {@link #sent}. */
    private boolean reached;

    private volatile boolean sent = true;

    /**
     * @param health the health of the node
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

    /** The stamp of the version to be written; 0 if the node stamps it. */
    public long timestampMicros() {
        return timestampMicros;
    }

    /** The time since this call was created. */
    long ageNanos(long nowNanos) {
        return nowNanos - madeNanos;
    }

    /**
     * Whether the request may be sent. If true, the caller must call {@link #end} later; if false,
     * {@link #failFast}.
     */
    public boolean tryBegin() {
        return health.tryEnter();
    }

    /** Ends the call without sending it, because the circuit breaker rejects it. */
    public void failFast() {
        if (tryEnd()) {
            tell(health.rejected());
        }
    }

    /** Ends the call because the queue is full. Must not follow {@link #tryBegin}. */
    public void refuse() {
        if (tryEnd()) {
            tell(health.queueFull());
        }
    }

    /**
     * Ends the call because it has waited too long. If the node doesn't answer, the call fails as
     * the calls before it did. Must not follow {@link #tryBegin}.
     */
    void expire() {
        if (health.isFailing()) {
            failFast();
        } else {
            refuse();
        }
    }

    /** Ends the call with its answer, and updates the node's health by the answer. */
    public void end(PeerAnswer answer, long sentNanos) {
        try {
            health.judged(answer, sentNanos);
        } catch (OutOfMemoryError e) {
            LOG.debug("no memory to update a node's health");
        }
        end(answer);
    }

    /**
     * Ends the call with its answer. The node's health is updated elsewhere: by the message that
     * contained the answer.
     */
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
        } catch (RuntimeException | Error e) { // The receiver must not throw.
            LOG.error("the receiver of another node's answer has failed", e);
        }
    }

    /** Begins an attempt to send. The sender calls {@link #sent} when it has finished. */
    void sendingBegins() {
        reached = false;
        sent = false;
        beganNanos = System.nanoTime();
        state.set(State.IN_FLIGHT);
    }

    /** When the last attempt to send began, by {@link System#nanoTime}. */
    long beganNanos() {
        return beganNanos;
    }

    /** Settles the call; returns false if it was given up before. */
    boolean trySettle() {
        return state.compareAndSet(State.IN_FLIGHT, State.SETTLED);
    }

    /** Gives the call up; returns false if it was settled before. */
    boolean tryGiveUp() {
        return state.compareAndSet(State.IN_FLIGHT, State.OVERDUE);
    }

    /**
     * The sender has finished, with success or not.
     *
     * @param hasReached whether a byte was sent
     */
    void sent(boolean hasReached) {
        reached = hasReached;
        sent = true;
    }

    /**
     * Waits until the sender has finished. This takes only until a write returns, unless the node
     * answers a request that it has not read completely.
     *
     * @return whether the sender has finished
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
     * Whether the request may be sent again, after it was sent and no byte of an answer has
     * arrived. Returns true only once. A write that the node stamps itself is not repeated if it
     * may have reached the node: the second write would get a newer stamp, and could replace what
     * other clients wrote in between.
     */
    boolean tryRepeat() {
        boolean isSafe = !reached || request instanceof EntityRequest.Get || timestampMicros > 0;
        boolean isFirst = !isRepeat;
        isRepeat = true;
        return isFirst && isSafe;
    }
}
