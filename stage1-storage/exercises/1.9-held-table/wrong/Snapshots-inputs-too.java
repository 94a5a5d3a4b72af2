/** Lets go of the inputs as well, which this method never held: readers lose what they read. */
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
            inputs.forEach(SSTable::release);
        } finally {
            releaseIfAny(output);
            manifestLock.unlock();
        }
    }
}
