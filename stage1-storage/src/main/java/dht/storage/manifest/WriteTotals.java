package dht.storage.manifest;

/**
 * The number of bytes written since the data directory was created. Immutable.
 *
 * @param acceptedBytes bytes of keys and values in accepted writes that are flushed
 * @param flushedBytes bytes of tables that flushes wrote
 * @param compactedBytes bytes of tables that compactions wrote
 */
public record WriteTotals(long acceptedBytes, long flushedBytes, long compactedBytes) {
    public static final WriteTotals ZERO = new WriteTotals(0, 0, 0);

    public WriteTotals plusFlush(long accepted, long flushed) {
        return new WriteTotals(acceptedBytes + accepted, flushedBytes + flushed, compactedBytes);
    }

    public WriteTotals plusCompaction(long compacted) {
        return new WriteTotals(acceptedBytes, flushedBytes, compactedBytes + compacted);
    }

    /**
     * Bytes of tables written for each accepted byte, without the log; 0 if no byte was accepted.
     */
    public double writeAmplification() {
        return acceptedBytes == 0 ? 0 : (double) (flushedBytes + compactedBytes) / acceptedBytes;
    }
}
