package dht.benchmarks.sharding;

import com.dynatrace.hash4j.hashing.Hashing;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.function.ToLongFunction;
import java.util.zip.CRC32;

/** Hashes that could say where a key lives, of 64 bits; shorter ones are the upper bits. */
public enum KeyHash {
    /** {@link Arrays#hashCode(byte[])}. */
    ARRAYS_HASHCODE("Arrays.hashCode", key -> upper(Arrays.hashCode(key))),

    /** The checksum of ZIP files. */
    CRC_32("CRC-32", KeyHash::crc),

    /** 64 bits, the variant called 1a. */
    FNV_1A("FNV-1a", KeyHash::fnv),

    /** The lower half of 128 bits. */
    MURMUR3(
            "Murmur3",
            key -> Hashing.murmur3_128().hashBytesTo128Bits(key).getLeastSignificantBits()),

    /** What placements use. */
    XXH3("XXH3", key -> Hashing.xxh3_64().hashBytesToLong(key)),

    /** The first half of 128 bits. */
    MD5("MD5", KeyHash::md5);

    private static final long FNV_OFFSET_BASIS = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private final String title;
    private final ToLongFunction<byte[]> function;

    KeyHash(String title, ToLongFunction<byte[]> function) {
        this.title = title;
        this.function = function;
    }

    /** As people know it. */
    String title() {
        return title;
    }

    long of(byte[] key) {
        return function.applyAsLong(key);
    }

    private static long upper(int hash) {
        return (long) hash << 32;
    }

    private static long crc(byte[] key) {
        CRC32 crc = new CRC32();
        crc.update(key);
        return upper((int) crc.getValue());
    }

    private static long fnv(byte[] key) {
        long hash = FNV_OFFSET_BASIS;
        for (byte each : key) {
            hash = (hash ^ (each & 0xff)) * FNV_PRIME;
        }
        return hash;
    }

    private static long md5(byte[] key) {
        try {
            return ByteBuffer.wrap(MessageDigest.getInstance("MD5").digest(key)).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // Each JVM has it.
        }
    }
}
