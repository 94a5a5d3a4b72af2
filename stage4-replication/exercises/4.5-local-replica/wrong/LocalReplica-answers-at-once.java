/** Answers when the storage has taken the write, not when it is durable. */
class LocalReplica {
    public void write(EntityRequest request, long timestampMicros, Consumer<WriteAnswer> receiver) {
        try {
            store(request, timestampMicros, new OwnWrite(_ -> {}));
        } catch (RuntimeException | Error e) {
            receiver.accept(new WriteAnswer.Failed(failure(e)));
            return;
        }
        receiver.accept(WriteAnswer.Stored.INSTANCE);
    }
}
