/** Drops later answers without closing them: their memory is never released. */
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
