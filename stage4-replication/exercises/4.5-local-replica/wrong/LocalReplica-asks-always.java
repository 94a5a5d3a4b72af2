/** Asks the storage at each write, although the clock knows that most writes are newer than all stored versions. */
class LocalReplica {
    public long observe(EntityRequest request, long timestampMicros) throws StampAheadException {
        clock.observe(timestampMicros);
        return dao.newestTimestampMicros(request.key(), timestampMicros);
    }
}
