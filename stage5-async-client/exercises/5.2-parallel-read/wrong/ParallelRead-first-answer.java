/** The first version decides the read, as if one replica were a quorum. */
class ParallelRead {
    private synchronized boolean take(Replica from, ReadAnswer answer) {
        if (result != null) {
            if (answer instanceof ReadAnswer.Looked later) {
                later.version().close();
            }
            return false;
        }
        round.add(from, answer);
        if (answer instanceof ReadAnswer.Looked looked) {
            result = new ReadResult.Newest(looked.version());
            over = true;
        } else if (round.isDecided()) {
            result = round.result();
            over = true;
        }
        return over;
    }
}
