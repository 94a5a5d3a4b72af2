/** Forgets that the caller's own hold on the output was handed over, too. */
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
        }
    }
}
