/** Drops what comes late, and does not think of the memory that it pins. */
class ParallelRead {
    private synchronized boolean take(Replica from, ReadAnswer answer) {
        if (result != null) {
            return false;
        }
        round.add(from, answer);
        if (round.isDecided()) {
            result = round.result();
            over = true;
        }
        return over;
    }
}
