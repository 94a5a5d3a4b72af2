/** After the pause all requests may enter, not only one probe. */
class CircuitBreaker {
    private synchronized boolean tryProbe() {
        if (isRejecting()) {
            return false;
        }
        if (state != State.CLOSED) {
            state = State.HALF_OPEN;
        }
        return true;
    }
}
