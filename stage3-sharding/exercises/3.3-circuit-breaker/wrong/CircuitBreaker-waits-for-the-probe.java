/** Waits for the probe's outcome without a limit: one that is lost keeps the breaker shut. */
class CircuitBreaker {
    private synchronized boolean tryProbe() {
        if (isRejecting()) {
            return false;
        }
        if (state != State.CLOSED) {
            state = State.HALF_OPEN;
            rejectingUntilNanos = nanoClock.getAsLong() + Long.MAX_VALUE;
        }
        return true;
    }
}
