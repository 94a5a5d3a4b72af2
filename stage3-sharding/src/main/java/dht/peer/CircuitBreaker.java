package dht.peer;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Verifies requests from a node that doesn't answer, so that nobody waits for it in vain.
 *
 * <pre>
 *   CLOSED ── so many failures in a row ──▶ OPEN ── pause is over, a probe enters ──▶ HALF_OPEN
 *      ▲                                      ▲                                          │
 *      │                                      └───────────────── failure ────────────────┤
 *      └───────────────────────────────── success ───────────────────────────────────────┘
 * </pre>
 *
 * <p>Thread-safe.
 */
public final class CircuitBreaker {
    /** Who may enter. */
    public enum State {
        /** Everybody. */
        CLOSED,
        /** Nobody. */
        OPEN,
        /** Nobody but the one who has entered and is expected back. */
        HALF_OPEN
    }

    private final int failuresMax;
    private final long pauseNanos;
    private final LongSupplier nanoClock;

    // Written under this, read by anybody.
    private volatile State state = State.CLOSED;
    private volatile int failures;
    private volatile long pauseEndNanos;

    /**
     * @param failuresMax so many in a row open it
     * @param pause how long it stays open before it lets one in to try
     * @param nanoClock such as {@link System#nanoTime}
     */
    public CircuitBreaker(int failuresMax, Duration pause, LongSupplier nanoClock) {
        this.failuresMax = failuresMax;
        this.pauseNanos = pause.toNanos();
        this.nanoClock = nanoClock;
    }

    /** Whether {@link #tryEnter} would say no now. */
    public boolean isShut() {
        return switch (state) {
            case CLOSED -> false;
            case OPEN -> nanoClock.getAsLong() - pauseEndNanos < 0;
            case HALF_OPEN -> true;
        };
    }

    /** Whether a request may be sent. Whoever is let in tells how it went, whatever happens. */
    public boolean tryEnter() {
        return state == State.CLOSED || tryProbe();
    }

    private synchronized boolean tryProbe() {
        if (isShut()) {
            return false;
        }
        if (state == State.OPEN) {
            state = State.HALF_OPEN;
        }
        return true;
    }

    /**
     * The node has answered.
     *
     * @return whether that has closed the breaker
     */
    public boolean succeeded() {
        return (state != State.CLOSED || failures != 0) && reset();
    }

    private synchronized boolean reset() {
        boolean wasShut = state != State.CLOSED;
        state = State.CLOSED;
        failures = 0;
        return wasShut;
    }

    /**
     * The node has not answered.
     *
     * @return whether that has opened the breaker, which was closed
     */
    public synchronized boolean failed() {
        failures++;
        boolean opens = state == State.CLOSED && failures >= failuresMax;
        if (opens || state == State.HALF_OPEN) {
            state = State.OPEN;
            pauseEndNanos = nanoClock.getAsLong() + pauseNanos;
        }
        return opens;
    }

    /** Whether the last one failed. */
    boolean isFailing() {
        return failures != 0;
    }

    public State state() {
        return state;
    }
}
