/** Waits for one failure too many: with 3/3, one failure should already decide. */
class AckCounter {
    boolean isLost() {
        return failures.size() > quorum.from() - quorum.ack() + 1;
    }
}
