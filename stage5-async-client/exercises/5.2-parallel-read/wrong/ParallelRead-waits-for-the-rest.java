/** A replica that failed is only counted: nobody else is asked in its place. */
class ParallelRead {
    private void receive(ReadAnswer answer) {
        try {
            if (take(answer)) {
                context.answer(result(), responder);
            }
        } catch (RuntimeException | Error e) {
            responder.fail(e);
        }
    }
}
