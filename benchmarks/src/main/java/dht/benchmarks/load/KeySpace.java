package dht.benchmarks.load;

/**
 * The keys of one thread among several: of all keys in order, thread k of N owns the k-th, (k +
 * N)-th, (k + 2N)-th, … Immutable.
 *
 * @param all of all threads together
 * @param thread from 0
 * @param threadCount at most as many as there are keys
 */
record KeySpace(KeyNumbers all, int thread, int threadCount) {
    static final String PREFIX = "key";
    static final int DIGITS = 9;

    /**
     * Appended to a key's name, it makes one that was never written and lies between two that were.
     */
    static final String MISSING_SUFFIX = "x";

    /** Of the keys that the thread owns. */
    long size() {
        return (all.count() - thread + threadCount - 1) / threadCount;
    }

    /** The number of the key at a place, from 0, among those that the thread owns. */
    long number(long place) {
        return all.at(thread + place * threadCount);
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
