/** Answers when the storage has accepted the write, not when the write is durable. */
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
