/** Asks the storage for a newer version, but does not move the clock: the next write here may be older. */
class LocalReplica {
    public long observe(EntityRequest request, long timestampMicros) throws StampAheadException {
        return dao.newestTimestampMicros(request.key(), timestampMicros);
    }
}
