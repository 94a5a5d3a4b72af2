/** Closes, but keeps the count: failures that are not in a row open it, too. */
class CircuitBreaker {
    private synchronized boolean reset() {
        boolean closes = state != State.CLOSED;
        state = State.CLOSED;
        return closes;
    }
}
