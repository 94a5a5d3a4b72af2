package dht.peer;

import dht.http.EntityRequest;
import dht.http.ErrorLog;
import dht.http.RequestTrace;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request to another node: the request, the receiver of its answer, and its state.
 *
 * <pre>
 *   WAITING ── beginSending ───▶ IN_FLIGHT ─┬─ trySettle ──▶ SETTLED ─┬─▶ ENDED
 *      │            ▲                       └─ tryGiveUp ──▶ OVERDUE ─┤
 *      │            └─────────── settled: once more, at most ─────────┤
 *      └───────────────── not sent, or sent by the client of stage 5 ─┘
 * </pre>
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>The receiver gets exactly one answer: ending the call a second time has no effect.
 *   <li>Each attempt to send the call is either settled or given up, never both. The thread that
 *       waits for the answer settles it. The thread that checks deadlines gives it up.
 *   <li>While {@code sendFinished} is false, a sender reads the request, and only that sender
 *       writes to the connection.
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
    private final RequestTrace trace;
    private final int traceIndex;
    private final long createdNanos = System.nanoTime();
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    /** When the last attempt to send began. */
    private volatile long sendBeganNanos;

    private boolean wasRepeated; // Used only by the thread that waits for the answer.

    /**
     * Whether a byte of the request may have reached the node. Written before {@link
     * #sendFinished}.
     */
    private boolean reached;

    private volatile boolean sendFinished = true;

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
        this.trace = RequestTrace.of(request);
        this.traceIndex = trace.callBegun(health);
    }

    public EntityRequest request() {
        return request;
    }

    /** The stamp of the version to be written; 0 if the node stamps it. */
    public long timestampMicros() {
        return timestampMicros;
    }

    /**
     * How long ago this call was created.
     *
     * @param nowNanos the current {@link System#nanoTime}
     */
    long ageNanos(long nowNanos) {
        return nowNanos - createdNanos;
    }

    /**
     * Whether the request may be sent. If true, the caller must later call {@link #end}. If false,
     * the caller must call {@link #failFast}.
     */
    public boolean tryBegin() {
        return health.tryEnter();
    }

    /**
     * Ends the call without sending it, because the circuit breaker rejects it, or because earlier
     * calls failed.
     */
    public void failFast() {
        if (tryEnd()) {
            deliver(health.rejectCircuitOpen());
        }
    }

    /** Ends the call because the queue is full or closed. Must not follow {@link #tryBegin}. */
    public void refuse() {
        if (tryEnd()) {
            deliver(health.rejectQueueFull());
        }
    }

    /**
     * Ends the call because it has waited too long for a connection. If earlier calls to the node
     * failed, this call fails in the same way. Must not follow {@link #tryBegin}.
     */
    void expire() {
        if (health.isFailing()) {
            failFast();
        } else {
            refuse();
        }
    }

    /**
     * Ends the call with its answer, and updates the node's circuit breaker. If the call has ended
     * before, releases the answer.
     *
     * @param sentNanos when the call was sent, by {@link System#nanoTime}
     */
    public void end(PeerAnswer answer, long sentNanos) {
        try {
            health.updateBreaker(answer, sentNanos);
        } catch (RuntimeException | Error e) {
            ErrorLog.log(LOG, "cannot update a node's health", e);
        }
        end(answer);
    }

    /**
     * Ends the call with its answer. Does not update the node's circuit breaker: the code that
     * received the message with this answer does it once for the whole message.
     */
    public void end(PeerAnswer answer) {
        if (!tryEnd()) {
            answer.release();
            return;
        }
        try {
            health.countOutcome(answer);
        } catch (RuntimeException | Error e) {
            ErrorLog.log(LOG, "cannot count an answer", e);
        }
        deliver(answer);
    }

    private boolean tryEnd() {
        return state.getAndSet(State.ENDED) != State.ENDED;
    }

    private void deliver(PeerAnswer answer) {
        trace.callEnded(traceIndex, answer);
        try {
            receiver.accept(answer);
        } catch (RuntimeException | Error e) {
            // The receiver must not throw, and other calls may have to be ended, too.
            ErrorLog.log(LOG, "the receiver of another node's answer has failed", e);
        } finally {
            trace.left();
        }
    }

    /** Begins an attempt to send. The sender calls {@link #finishSending} at the end. */
    void beginSending() {
        reached = false;
        sendFinished = false;
        sendBeganNanos = System.nanoTime();
        state.set(State.IN_FLIGHT);
    }

    /** When the last attempt to send began, by {@link System#nanoTime}. */
    long sendBeganNanos() {
        return sendBeganNanos;
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
     * @param mayHaveReached whether a byte of the request was sent
     */
    void finishSending(boolean mayHaveReached) {
        reached = mayHaveReached;
        sendFinished = true;
    }

    /**
     * Waits until the sender has finished. Usually this takes only until a write to the socket
     * returns. It takes longer if the node answers before it has read the whole request.
     *
     * @return whether the sender has finished
     */
    boolean awaitSendFinished(long nanosMax) {
        long startNanos = sendFinished ? 0 : System.nanoTime();
        while (!sendFinished) {
            if (System.nanoTime() - startNanos > nanosMax) {
                return false;
            }
            Thread.yield();
        }
        return true;
    }

    /**
     * Whether the request may be sent a second time. Called when the connection broke before a byte
     * of the answer arrived. Returns true at most once.
     *
     * <p>A write without a stamp is not repeated if the node may have received it. The node would
     * give the repeated write a newer stamp, and this write could overwrite what other clients have
     * written in the meantime.
     */
    boolean tryRepeat() {
        boolean isSafe = !reached || request instanceof EntityRequest.Get || timestampMicros > 0;
        boolean isFirst = !wasRepeated;
        wasRepeated = true;
        return isFirst && isSafe;
    }
}
