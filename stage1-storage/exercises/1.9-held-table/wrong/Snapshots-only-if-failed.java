/** Lets go only if no snapshot took the table in, as if it had taken over the caller's hold. */
class Snapshots {
    void replaceCompacted(List<SSTable> inputs, SSTable output) throws IOException {
        long compactedBytes = output == null ? 0 : output.fileBytes();
        boolean isDone = false;
        manifestLock.lock();
        try {
            change(
                    snapshot -> snapshot.withCompacted(inputs, output),
                    output,
                    manifest.greatestTimestampMicros(),
                    manifest.totals().plusCompaction(compactedBytes),
                    () -> markObsolete(inputs));
            isDone = true;
        } finally {
            if (!isDone) {
                releaseIfAny(output);
            }
            manifestLock.unlock();
        }
    }
}
