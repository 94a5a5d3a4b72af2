/** Believes that every merge leaves a table: of tombstones alone it leaves none. */
class Snapshots {
    void replaceCompacted(List<SSTable> inputs, SSTable output) throws IOException {
        long compactedBytes = output == null ? 0 : output.fileBytes();
        manifestLock.lock();
        try {
            change(
                    snapshot -> snapshot.withCompacted(inputs, output),
                    output,
                    manifest.greatestTimestampMicros(),
                    manifest.totals().plusCompaction(compactedBytes),
                    () -> markObsolete(inputs));
        } finally {
            manifestLock.unlock();
            output.release();
        }
    }
}
