/** Checks and then acts, without a lock: two threads that come at the same time both enter. */
class CircuitBreaker {
    private boolean tryProbe() {
        if (isRejecting()) {
            return false;
        }
        if (state != State.CLOSED) {
            state = State.HALF_OPEN;
            rejectingUntilNanos = nanoClock.getAsLong() + probeNanos + pauseNanos;
        }
        return true;
    }
}
