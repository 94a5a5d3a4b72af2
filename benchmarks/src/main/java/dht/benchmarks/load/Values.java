package dht.benchmarks.load;

import java.nio.ByteBuffer;

/**
 * The values that one thread writes: made before the run, and sent in turn. Described in
 * docs/reference/load.md. Immutable.
 */
final class Values {
    private static final int COUNT_MAX = 16;
    private static final int TOTAL_BYTES_MAX = 4 << 20;
    private static final int LETTERS = 26;

    /** A longer value repeats itself. */
    private static final int RANDOM_BYTES_MAX = 1024;

    private final ByteBuffer[] values;

    Values(int valueBytes, CombinedRandom random) {
        int count = Math.clamp(TOTAL_BYTES_MAX / Math.max(1, valueBytes), 1, COUNT_MAX);
        this.values = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            values[i] = value(valueBytes, random);
        }
    }

    private static ByteBuffer value(int bytes, CombinedRandom random) {
        ByteBuffer value = ByteBuffer.allocateDirect(bytes);
        for (int i = 0; i < bytes; i++) {
            value.put(
                    i < RANDOM_BYTES_MAX
                            ? (byte) ('a' + (int) (random.next() * LETTERS))
                            : value.get(i - RANDOM_BYTES_MAX));
        }
        return value.flip();
    }

    int count() {
        return values.length;
    }

    /** Views of all values, with positions of their own. */
    ByteBuffer[] views() {
        ByteBuffer[] views = new ByteBuffer[values.length];
        for (int i = 0; i < views.length; i++) {
            views[i] = values[i].duplicate();
        }
        return views;
    }
}
