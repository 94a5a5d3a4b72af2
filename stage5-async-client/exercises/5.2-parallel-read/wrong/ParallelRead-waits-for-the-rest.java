/** Only counts a replica that failed: no other replica is asked instead. */
class ParallelRead {
    private void receive(Replica from, ReadAnswer answer) {
        try {
            if (take(from, answer)) {
                answerClient();
            }
        } catch (RuntimeException | Error e) {
            responder.fail(e);
        }
    }
}
