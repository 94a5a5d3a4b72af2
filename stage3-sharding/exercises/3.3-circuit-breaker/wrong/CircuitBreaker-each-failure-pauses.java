/** Begins the pause anew with each failure, also with those of requests that were under way. */
class CircuitBreaker {
    public synchronized boolean failed() {
        failures++;
        boolean opens = state == State.CLOSED && failures >= failuresMax;
        if (failures >= failuresMax) {
            state = State.OPEN;
            rejectingUntilNanos = nanoClock.getAsLong() + pauseNanos;
        }
        return opens;
    }
}
