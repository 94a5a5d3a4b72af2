package dht.peer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * A circuit breaker: rejects requests to a node that has stopped answering, so that clients get an
 * error at once and don't wait for the timeout.
 *
 * <pre>
 *   CLOSED ── failuresMax failures in a row ──▶ OPEN ── pause is over, a probe enters ──▶ HALF_OPEN ─┐
 *      ▲                                         ▲                                          │  ▲      │
 *      │                                         └───────────────── failure ────────────────┤  └──────┘
 *      └──────────────────────────────────── success ───────────────────────────────────────┘  no outcome
 *                                                                                     in time: next probe
 * </pre>
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>While the breaker is closed, every request may enter.
 *   <li>While it is not closed, requests are rejected until {@code rejectingUntilNanos}. After that
 *       time the next probe may enter, even if the outcome of the last probe is never reported.
 *   <li>A success closes the breaker in every state, even if its request entered before the breaker
 *       opened. In the state HALF_OPEN, a failure of an older request counts like a failure of the
 *       probe.
 * </ol>
 *
 * <p>Thread-safe.
 */
public final class CircuitBreaker {
    /** The state decides which requests may enter. */
    public enum State {
        /** Every request may enter. */
        CLOSED,
        /** No request may enter until the pause is over. */
        OPEN,
        /**
         * One probe has entered. No other request may enter until an outcome is reported. If none
         * is reported, the next probe may enter after the probe's timeout and one pause.
         */
        HALF_OPEN
    }

    private final int failuresMax;
    private final long pauseNanos;
    private final long probeNanos;
    private final LongSupplier nanoClock;

    // Written under this object's lock, read without it: a reader may see slightly old values.
    private volatile State state = State.CLOSED;
    private volatile int failures;
    private volatile long rejectingUntilNanos;

    /**
     * @param failuresMax this many failures in a row open the breaker
     * @param pause how long the breaker stays open before it lets a probe in
     * @param probeTimeout a probe without an outcome after this time counts as failed
     * @param nanoClock such as {@link System#nanoTime}
     */
    public CircuitBreaker(
            int failuresMax, Duration pause, Duration probeTimeout, LongSupplier nanoClock) {
        this.failuresMax = failuresMax;
        this.pauseNanos = pause.toNanos();
        this.probeNanos = probeTimeout.toNanos();
        this.nanoClock = nanoClock;
    }

    /** Whether {@link #tryEnter} would return false now. */
    public boolean isRejecting() {
        return state != State.CLOSED && nanoClock.getAsLong() - rejectingUntilNanos < 0;
    }

    /**
     * Whether a request may be sent. If true, the caller must later call {@link #succeeded} or
     * {@link #failed}, unless it never learns the outcome.
     */
    public boolean tryEnter() {
        return state == State.CLOSED || tryProbe();
    }

    private synchronized boolean tryProbe() {
        if (isRejecting()) {
            return false;
        }
        if (state != State.CLOSED) {
            state = State.HALF_OPEN;
            // If the probe has no outcome in time, it counts as failed, and the pause follows.
            rejectFor(probeNanos + pauseNanos);
        }
        return true;
    }

    @GuardedBy("this")
    private void rejectFor(long nanos) {
        rejectingUntilNanos = nanoClock.getAsLong() + nanos;
    }

    /**
     * Reports that the node has answered.
     *
     * @return whether this call has closed the breaker
     */
    public boolean succeeded() {
        return (state != State.CLOSED || failures != 0) && reset();
    }

    private synchronized boolean reset() {
        boolean closes = state != State.CLOSED;
        state = State.CLOSED;
        failures = 0;
        return closes;
    }

    /**
     * Reports that the node has not answered.
     *
     * @return whether this call has opened the breaker, which was closed before
     */
    public synchronized boolean failed() {
        failures++;
        boolean opens = state == State.CLOSED && failures >= failuresMax;
        if (opens || state == State.HALF_OPEN) {
            state = State.OPEN;
            rejectFor(pauseNanos);
        }
        return opens;
    }

    /** Whether the outcome that was reported last is a failure. */
    boolean isFailing() {
        return failures != 0;
    }

    public State state() {
        return state;
    }
}
