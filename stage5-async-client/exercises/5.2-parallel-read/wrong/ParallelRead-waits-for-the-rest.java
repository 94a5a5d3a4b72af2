/** A replica that failed is only counted: nobody else is asked in its place. */
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
