package dht.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Values to store. Two calls never give the same bytes, unless they have the same seed. Threads may
 * share this class.
 */
public final class Values {
    /** The greatest size of a value, in bytes. */
    public static final int BYTES_MAX = 16 << 20;

    private static final AtomicLong NEXT = new AtomicLong();

    private Values() {}

    /** A dozen bytes of text. */
    public static byte[] small() {
        return text("value-%d".formatted(NEXT.getAndIncrement()));
    }

    /** The text in UTF-8. */
    public static byte[] text(String text) {
        return text.getBytes(UTF_8);
    }

    /** Random bytes. */
    public static byte[] ofSize(int bytes) {
        return ofSize(bytes, NEXT.getAndIncrement());
    }

    /** Random bytes. The same seed gives the same bytes. */
    public static byte[] ofSize(int bytes, long seed) {
        var value = new byte[bytes];
        new SplittableRandom(seed).nextBytes(value);
        return value;
    }
}
