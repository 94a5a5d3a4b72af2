/** Does not catch errors of the storage, such as a lack of memory: the coordinator waits for an answer that never comes. */
class LocalReplica {
    public void write(EntityRequest request, long timestampMicros, Consumer<WriteAnswer> receiver) {
        OwnWrite write = new OwnWrite(receiver);
        try {
            store(request, timestampMicros, write);
        } catch (RuntimeException e) {
            if (write.isNotified) {
                throw e;
            }
            missed.incrementAndGet();
            receiver.accept(new WriteAnswer.Failed(failure(e)));
        }
    }
}
