/** The end of a message sends nothing: the waiting questions are sent only if another question comes. */
class Batcher {
    private synchronized void ended() {
        underWay--;
    }
}
