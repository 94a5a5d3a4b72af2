/** Gives up only when there are fewer answers left than `ack`, but counts them as if none had done it. */
class AckCounter {
    boolean isLost() {
        return failures.size() >= quorum.ack();
    }
}
