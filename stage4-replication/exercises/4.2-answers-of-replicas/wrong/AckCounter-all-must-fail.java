/** Gives up after `ack` failures: right for 2/3, but too early for 1/3 and too late for 3/3. */
class AckCounter {
    boolean isLost() {
        return failures.size() >= quorum.ack();
    }
}
