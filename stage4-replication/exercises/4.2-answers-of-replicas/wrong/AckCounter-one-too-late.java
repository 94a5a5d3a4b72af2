/** Waits for one failure more than the reserve has: with 3/3, one failure decides nothing. */
class AckCounter {
    boolean isLost() {
        return failures.size() > quorum.from() - quorum.ack() + 1;
    }
}
