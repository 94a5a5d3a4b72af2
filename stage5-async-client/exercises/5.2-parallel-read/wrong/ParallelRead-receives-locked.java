/** Handles the whole answer under the lock: while it writes to a socket, the other answers wait. */
class ParallelRead {
    private synchronized void receive(Replica from, ReadAnswer answer) {
        try {
            if (take(from, answer)) {
                answerClient();
            } else if (answer instanceof ReadAnswer.Failed) {
                askNext();
            }
        } catch (RuntimeException | Error e) {
            fail(e);
        }
    }
}
