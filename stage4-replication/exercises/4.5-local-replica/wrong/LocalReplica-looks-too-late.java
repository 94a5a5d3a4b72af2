/** Looks at the clock after it has moved it: so no stamp is ever past it, and equal ones pass unnoticed. */
class LocalReplica {
    public long observe(EntityRequest request, long timestampMicros) throws StampAheadException {
        clock.observe(timestampMicros);
        return timestampMicros >= clock.lastMicros()
                ? 0
                : dao.newestTimestampMicros(request.key(), timestampMicros);
    }
}
