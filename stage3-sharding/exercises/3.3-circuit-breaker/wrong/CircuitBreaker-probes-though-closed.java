/** Does not read the state again: if an answer has closed the breaker meanwhile, it is half open once more. */
class CircuitBreaker {
    private synchronized boolean tryProbe() {
        if (isRejecting()) {
            return false;
        }
        state = State.HALF_OPEN;
        rejectFor(probeNanos + pauseNanos);
        return true;
    }
}
