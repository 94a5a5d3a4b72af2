package dht.repair;

import com.dynatrace.hash4j.hashing.HashStream128;
import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import dht.storage.EntryView;
import java.nio.ByteBuffer;

/**
 * A short value that stands for a set of versions: their number, the cost of reading them, and the
 * sum of their 128-bit hashes. The hash of a version covers its key, its stamp, its kind (value or
 * tombstone) and its value. Different sets have different digests, except with a probability of
 * about 2^-128.
 *
 * <p>Not thread-safe.
 */
final class Digest {
    static final int BYTES = 2 * Integer.BYTES + 2 * Long.BYTES;

    private static final int BYTES_PER_COST = 256;

    private int count;
    private int cost;
    private long high;
    private long low;

    /** The number of versions. */
    int count() {
        return count;
    }

    /**
     * The cost of reading the versions: 1 for each version, and 1 more for each 256 bytes of its
     * value.
     */
    int cost() {
        return cost;
    }

    static int costOf(EntryView entry) {
        return 1 + Math.max(0, entry.valueLength()) / BYTES_PER_COST;
    }

    void add(EntryView entry, Hasher hasher) {
        HashValue128 hash = hasher.hash(entry);
        count++;
        cost += costOf(entry);
        low += hash.getLeastSignificantBits();
        boolean isCarried = Long.compareUnsigned(low, hash.getLeastSignificantBits()) < 0;
        high += hash.getMostSignificantBits() + (isCarried ? 1 : 0);
    }

    boolean isSame(Digest other) {
        return count == other.count && cost == other.cost && high == other.high && low == other.low;
    }

    void write(ByteBuffer message) {
        message.putInt(count).putInt(cost).putLong(high).putLong(low);
    }

    static Digest read(ByteBuffer message) {
        Digest digest = new Digest();
        digest.count = message.getInt();
        digest.cost = message.getInt();
        digest.high = message.getLong();
        digest.low = message.getLong();
        return digest;
    }

    /** Computes the hashes of versions. Not thread-safe: it reuses its memory. */
    static final class Hasher {
        private static final int PIECE_BYTES = 8 << 10;

        private final HashStream128 stream = Hashing.xxh3_128().hashStream();
        private final byte[] piece = new byte[PIECE_BYTES];

        private HashValue128 hash(EntryView entry) {
            stream.reset();
            stream.putLong(entry.timestampMicros());
            stream.putInt(entry.keyLength());
            entry.copyKeyTo(piece, 0);
            stream.putBytes(piece, 0, entry.keyLength());
            putContent(entry);
            return stream.get();
        }

        /**
         * A hash by which two versions with the same key and the same stamp can be distinguished.
         */
        long contentHash(EntryView entry) {
            stream.reset();
            putContent(entry);
            return stream.get().getAsLong();
        }

        private void putContent(EntryView entry) {
            stream.putInt(entry.valueLength()); // Negative for a tombstone.
            for (int done = 0; done < entry.valueLength(); ) {
                int length = Math.min(PIECE_BYTES, entry.valueLength() - done);
                entry.copyValue(done, piece, 0, length);
                stream.putBytes(piece, 0, length);
                done += length;
            }
        }
    }
}
