package dht.peer;

import java.util.concurrent.atomic.AtomicReference;

/**
 * One sending of a request over a connection. Up to three threads have to do with it: who sends it,
 * who waits for the answer, and who watches the time. Thread-safe.
 */
final class Attempt {
    private enum State {
        IN_FLIGHT,
        /** The answer is here, or will not come. */
        SETTLED,
        /** It was given up. */
        OVERDUE
    }

    private final PeerCall ask;
    private final boolean isRepeat;
    private final long beganNanos = System.nanoTime();
    private final AtomicReference<State> state = new AtomicReference<>(State.IN_FLIGHT);

    /** Whether a byte of it may have reached the node. Written before {@link #sent}. */
    private boolean reached;

    /** Turns true when the sender no longer touches the request. */
    private volatile boolean sent;

    Attempt(PeerCall ask, boolean isRepeat) {
        this.ask = ask;
        this.isRepeat = isRepeat;
    }

    PeerCall ask() {
        return ask;
    }

    /** By {@link System#nanoTime}. */
    long beganNanos() {
        return beganNanos;
    }

    long ageNanos(long nowNanos) {
        return nowNanos - beganNanos;
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

    /** Whether it may be sent again, when it was sent and no answer has begun. */
    boolean mayRepeat() {
        return !isRepeat && (!reached || ask.isRepeatable());
    }
}
