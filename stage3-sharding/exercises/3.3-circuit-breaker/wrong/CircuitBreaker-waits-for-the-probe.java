/** Waits for the outcome of the probe without a limit: if the outcome is lost, no request may ever enter again. */
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
