/** Answers first, and counts the missed write afterwards: who reads the count when the answer arrives finds it too small. */
class LocalReplica {
    public void write(EntityRequest request, long timestampMicros, Consumer<WriteAnswer> receiver) {
        OwnWrite write = new OwnWrite(receiver);
        try {
            store(request, timestampMicros, write);
        } catch (RuntimeException | Error e) {
            if (write.isNotified) {
                throw e;
            }
            receiver.accept(new WriteAnswer.Failed(failure(e)));
            missed.incrementAndGet();
        }
    }

    class OwnWrite {
        public void failed(StorageException e) {
            isNotified = true;
            receiver.accept(new WriteAnswer.Failed(failure(e)));
            missed.incrementAndGet();
        }
    }
}
