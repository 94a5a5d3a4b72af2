/** Treats every exception as a failed write, even an exception of the receiver: one replica then answers twice. */
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
