/** Compares the times themselves and not their difference: when the clock overflows, the pause is over at once. */
class CircuitBreaker {
    private synchronized boolean tryProbe() {
        if (state == State.CLOSED) {
            return true;
        }
        if (nanoClock.getAsLong() < rejectingUntilNanos) {
            return false;
        }
        state = State.HALF_OPEN;
        rejectFor(probeNanos + pauseNanos);
        return true;
    }
}
