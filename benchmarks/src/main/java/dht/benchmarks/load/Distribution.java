package dht.benchmarks.load;

import java.util.Locale;

/** Which of a thread's keys are asked for, and how often. Described in docs/reference/load.md. */
enum Distribution {
    UNIFORM,
    ZIPFIAN,
    LATEST;

    /** The exponent that YCSB made the custom. */
    private static final double EXPONENT = 0.99;

    private static final double GOLDEN_SECTION = 0.618;

    /** Chooses among a number of keys. Not thread-safe. */
    @FunctionalInterface
    interface Chooser {
        /** The place of a key among those of the thread, from 0. */
        long next();
    }

    /**
     * @param count of the keys there are to choose from, at least 1
     */
    Chooser chooser(long count, CombinedRandom random) {
        Zipfian zipfian = new Zipfian(count, EXPONENT, random);
        long step = step(count);
        return switch (this) {
            case UNIFORM -> () -> (long) (random.next() * count);
            case ZIPFIAN -> () -> zipfian.next() * step % count;
            case LATEST -> () -> count - 1 - zipfian.next();
        };
    }

    /**
     * Multiplying by it, modulo {@code count}, moves neighbours apart and meets each place once.
     */
    private static long step(long count) {
        long step = Math.max(1, (long) (GOLDEN_SECTION * count));
        while (greatestCommonDivisor(step, count) != 1) {
            step++;
        }
        return step;
    }

    private static long greatestCommonDivisor(long a, long b) {
        return b == 0 ? a : greatestCommonDivisor(b, a % b);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
