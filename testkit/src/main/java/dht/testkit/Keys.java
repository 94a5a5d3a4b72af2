package dht.testkit;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/** Keys that no other test uses, not even on another machine. Threads may share this class. */
public final class Keys {
    /** The greatest length of a key, in UTF-8 bytes. */
    public static final int BYTES_MAX = 1024;

    private static final String JVM =
            Long.toString(new SecureRandom().nextLong() >>> 16, Character.MAX_RADIX);
    private static final AtomicLong NEXT = new AtomicLong();

    private Keys() {}

    /** A short ASCII key. */
    public static String unique() {
        return "k" + JVM + "-" + NEXT.getAndIncrement();
    }

    /** A unique key with this number of ASCII characters. */
    public static String ofLength(int bytes) {
        var key = unique();
        return key + "x".repeat(bytes - key.length());
    }
}
