/** Returns whether the read has ended, and not whether this answer has ended it. */
class ParallelRead {
    private synchronized boolean take(Replica from, ReadAnswer answer) {
        if (result != null) {
            if (answer instanceof ReadAnswer.Looked later) {
                later.version().close();
            }
        } else {
            round.add(from, answer);
            if (round.isDecided()) {
                result = round.result();
                over = true;
            }
        }
        return over;
    }
}
