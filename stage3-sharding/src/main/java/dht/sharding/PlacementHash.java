package dht.sharding;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;

/**
 * The hash that decides which nodes have a key: XXH3, 64 bits. Do not change it: with another hash,
 * nodes would look for each key on the wrong node. Stateless and thread-safe.
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

    /** Combines two hashes into one. */
    static long combine(long first, long second) {
        return XXH3.hashLongLongToLong(first, second);
    }
}
