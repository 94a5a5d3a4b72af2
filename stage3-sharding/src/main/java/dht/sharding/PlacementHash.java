package dht.sharding;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;

/**
 * The hash that decides where keys live: XXH3, 64 bits. Another one would have every key looked for
 * on another node than the one that holds it: do not change.
 */
final class PlacementHash {
    private static final Hasher64 XXH3 = Hashing.xxh3_64();

    private PlacementHash() {}

    static long ofKey(byte[] key) {
        return XXH3.hashBytesToLong(key);
    }

    static long ofName(String name) {
        return XXH3.hashBytesToLong(name.getBytes(UTF_8));
    }

    /** One hash of two. */
    static long of(long first, long second) {
        return XXH3.hashLongLongToLong(first, second);
    }
}
