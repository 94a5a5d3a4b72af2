/** Reports that it has opened each time it begins a pause: the log repeats the message. */
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
