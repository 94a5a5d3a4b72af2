/** The end of a message frees its place, and the next question is to take the others along: if one comes. */
class Batcher {
    private synchronized void ended() {
        underWay--;
    }
}
