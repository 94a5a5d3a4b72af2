import dht.storage.EntryView;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/** Goes through the cursor of a range, and copies what comes after the key as well. */
class LsmDao {
    private static final int BATCH_ENTRIES = 1024;

    @Override
    public ReadOutcome get(byte[] key) {
        ReadOutcome found = batchFrom(key).get(ByteBuffer.wrap(key));
        return found == null ? ReadOutcome.Absent.INSTANCE : found;
    }

    /** Entries from the key on, many at a time. */
    private Map<ByteBuffer, ReadOutcome> batchFrom(byte[] key) {
        Map<ByteBuffer, ReadOutcome> batch = new HashMap<>();
        try (EntryCursor cursor = range(key, null)) {
            while (batch.size() < BATCH_ENTRIES && cursor.next()) {
                EntryView entry = cursor.entry();
                batch.put(ByteBuffer.wrap(entry.copyKey()), outcome(entry));
            }
        }
        return batch;
    }

    private static ReadOutcome outcome(EntryView entry) {
        if (entry.isTombstone()) {
            return new ReadOutcome.Deleted(entry.timestampMicros());
        }
        MemorySegment value = MemorySegment.ofArray(entry.copyValue()).asReadOnly();
        return new ReadOutcome.Found(value, entry.timestampMicros(), () -> {});
    }
}
