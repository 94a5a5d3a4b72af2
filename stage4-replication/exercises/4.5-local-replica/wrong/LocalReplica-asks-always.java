/** Asks the storage at each write, though the clock knows that most of them are newer than all that is stored. */
class LocalReplica {
    public long observe(EntityRequest request, long timestampMicros) throws StampAheadException {
        clock.observe(timestampMicros);
        return dao.newestTimestampMicros(request.key(), timestampMicros);
    }
}
