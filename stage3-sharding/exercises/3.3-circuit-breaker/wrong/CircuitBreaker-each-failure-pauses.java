/** Each failure starts the pause again, even the failures of requests that were already in flight. */
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
