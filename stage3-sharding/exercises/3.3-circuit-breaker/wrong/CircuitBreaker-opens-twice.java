/** Tells that it has opened whenever it begins a pause: the log repeats itself. */
class CircuitBreaker {
    public synchronized boolean failed() {
        failures++;
        boolean opens = failures >= failuresMax && state != State.OPEN;
        if (opens) {
            state = State.OPEN;
            rejectingUntilNanos = nanoClock.getAsLong() + pauseNanos;
        }
        return opens;
    }
}
