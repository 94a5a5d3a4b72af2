/** Takes whatever is thrown for a failed write, also what the receiver has thrown: one replica answers twice. */
class LocalReplica {
    public void write(EntityRequest request, long timestampMicros, Consumer<WriteAnswer> receiver) {
        OwnWrite write = new OwnWrite(receiver);
        try {
            store(request, timestampMicros, write);
        } catch (RuntimeException | Error e) {
            receiver.accept(new WriteAnswer.Failed(failure(e)));
        }
    }
}
