package dht.benchmarks.load;

/**
 * The keys of one thread among several: thread k of N owns the numbers k, k + N, k + 2N, …
 * Immutable.
 *
 * @param keyCount of all threads together
 * @param thread from 0
 * @param threadCount at most {@code keyCount}
 */
record KeySpace(long keyCount, int thread, int threadCount) {
    static final String PREFIX = "key";
    static final int DIGITS = 9;

    /**
     * Appended to a key's name, it makes one that was never written and lies between two that were.
     */
    static final String MISSING_SUFFIX = "x";

    /** Of the keys that the thread owns. */
    long size() {
        return (keyCount - thread + threadCount - 1) / threadCount;
    }

    /** The number of the key at a place, from 0, among those that the thread owns. */
    long number(long place) {
        return thread + place * threadCount;
    }

    /** Puts the digits of a key's number to where they belong. */
    static void writeDigits(long number, byte[] target, int offset) {
        int rest = (int) number;
        for (int i = offset + DIGITS - 1; i >= offset; i--) {
            target[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
    }
}
