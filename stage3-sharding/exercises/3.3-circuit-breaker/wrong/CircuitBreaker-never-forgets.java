/** Closes without resetting the count, so failures that are not in a row open the breaker, too. */
class CircuitBreaker {
    private synchronized boolean reset() {
        boolean closes = state != State.CLOSED;
        state = State.CLOSED;
        return closes;
    }
}
