package dht.storage.sstable;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;

/**
 * The hash for Bloom filters: XXH3, 64 bits. Persistent format: do not change. Stateless and
 * thread-safe.
 */
public final class KeyHash {
    private static final Hasher64 XXH3 = Hashing.xxh3_64();

    private KeyHash() {}

    public static long of(byte[] key) {
        return XXH3.hashBytesToLong(key);
    }

    static long of(byte[] bytes, int length) {
        return XXH3.hashBytesToLong(bytes, 0, length);
    }
}
