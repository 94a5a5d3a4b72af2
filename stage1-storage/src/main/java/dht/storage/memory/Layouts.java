package dht.storage.memory;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The layouts of numbers in files and in memory: little-endian, at any address. Persistent format:
 * do not change. Immutable.
 */
public final class Layouts {
    public static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Layouts() {}

    /** Rounds {@code bytes} up to a multiple of eight. */
    public static long align8(long bytes) {
        return (bytes + 7) & ~7L;
    }
}
