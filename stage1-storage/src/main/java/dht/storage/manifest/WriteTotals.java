package dht.storage.manifest;

/**
 * Bytes written since the data directory was made.
 *
 * @param acceptedBytes of keys and values that writers handed in, as far as they are flushed
 * @param flushedBytes of tables written by flushes
 * @param compactedBytes of tables written by compactions
 */
public record WriteTotals(long acceptedBytes, long flushedBytes, long compactedBytes) {
    public static final WriteTotals ZERO = new WriteTotals(0, 0, 0);

    public WriteTotals plusFlush(long accepted, long flushed) {
        return new WriteTotals(acceptedBytes + accepted, flushedBytes + flushed, compactedBytes);
    }

    public WriteTotals plusCompaction(long compacted) {
        return new WriteTotals(acceptedBytes, flushedBytes, compactedBytes + compacted);
    }

    /** Bytes of tables written for each byte handed in, the log not counted; 0 if nothing was. */
    public double writeAmplification() {
        return acceptedBytes == 0 ? 0 : (double) (flushedBytes + compactedBytes) / acceptedBytes;
    }
}
