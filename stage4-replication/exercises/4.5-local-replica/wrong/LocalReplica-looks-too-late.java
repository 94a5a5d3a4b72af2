/** Reads the clock after it has moved the clock: then no stamp is ever ahead of it, and equal stamps are not noticed. */
class LocalReplica {
    public long observe(EntityRequest request, long timestampMicros) throws StampAheadException {
        clock.observe(timestampMicros);
        return timestampMicros >= clock.lastMicros()
                ? 0
                : dao.newestTimestampMicros(request.key(), timestampMicros);
    }
}
