/** After the pause everybody may enter, not only one. */
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
