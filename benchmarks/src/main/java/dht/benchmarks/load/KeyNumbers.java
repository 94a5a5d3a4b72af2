package dht.benchmarks.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The numbers of all keys, in order: those that a file lists, or all below a count. Immutable. */
final class KeyNumbers {
    private final int[] listed; // Null where there are all.
    private final long count;

    private KeyNumbers(int[] listed, long count) {
        this.listed = listed;
        this.count = count;
    }

    static KeyNumbers below(long count) {
        return new KeyNumbers(null, count);
    }

    /**
     * Those of a file, a number a line.
     *
     * @param countMin that it must list at least
     * @param numbersEnd that all must be below
     * @throws IllegalArgumentException if it doesn't, or cannot be read
     */
    static KeyNumbers listedIn(Path file, int countMin, long numbersEnd) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file, StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new IllegalArgumentException("KEY_NUMBERS=" + file + " cannot be read", e);
        }
        int[] listed = new int[lines.size()];
        for (int i = 0; i < listed.length; i++) {
            String line = lines.get(i);
            boolean isNumber = line.matches("\\d{1,9}") && Long.parseLong(line) < numbersEnd;
            if (!isNumber) {
                throw new IllegalArgumentException(
                        "KEY_NUMBERS=%s: line %d is not a number below %d"
                                .formatted(file, i + 1, numbersEnd));
            }
            listed[i] = Integer.parseInt(line);
        }
        if (listed.length < countMin) {
            throw new IllegalArgumentException(
                    "KEY_NUMBERS=%s lists %d keys for %d threads"
                            .formatted(file, listed.length, countMin));
        }
        return new KeyNumbers(listed, listed.length);
    }

    long count() {
        return count;
    }

    /** Whether some numbers between two keys may be no keys. */
    boolean areListed() {
        return listed != null;
    }

    /**
     * @param index below the count
     */
    long at(long index) {
        return listed == null ? index : listed[(int) index];
    }
}
