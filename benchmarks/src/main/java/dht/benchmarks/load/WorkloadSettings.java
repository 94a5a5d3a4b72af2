package dht.benchmarks.load;

import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

/**
 * What is asked of a server, whatever the tool that asks: read from the environment, as the scripts
 * for wrk2 do. Described in docs/reference/load.md. Immutable.
 *
 * @param keys that are asked for
 * @param readShare of GETs in a mixed workload, 0 to 1
 * @param rangeLength keys from the start of a range to its end
 * @param missShare of GETs that ask for a key which was never written, 0 to 1
 * @param replicas how many must answer of how many, "2/3"; empty where the server decides
 * @param part of a load that several tools send together
 */
public record WorkloadSettings(
        KeyNumbers keys,
        int valueBytes,
        Distribution distribution,
        long seed,
        double readShare,
        long rangeLength,
        double missShare,
        String replicas,
        Part part) {

    /** Scattering multiplies two numbers of keys, and scripts compute with doubles. */
    static final long KEYS_MAX = 90_000_000;

    static final int VALUE_BYTES_MAX = 16 << 20;
    private static final long SEED_MAX = Integer.MAX_VALUE;

    /** Which of several tools that load together this one is, from 1, and how many they are. */
    public record Part(int number, int count) {
        /** The number of this tool's first thread among the threads of all tools, from 0. */
        int firstThread(int threadCount) {
            return threadCount * (number - 1);
        }

        int allThreads(int threadCount) {
            return threadCount * count;
        }

        static Part of(String text) {
            if (text.matches("[1-9]\\d?/[1-9]\\d?")) {
                String[] numbers = text.split("/");
                Part part = new Part(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]));
                if (part.number <= part.count) {
                    return part;
                }
            }
            throw new IllegalArgumentException(
                    "PART=" + text + " is not NUMBER/COUNT, such as 2/3");
        }
    }

    /**
     * @throws IllegalArgumentException if a variable is out of its bounds
     */
    public static WorkloadSettings of(Map<String, String> environment, int threadCount) {
        Part part = Part.of(environment.getOrDefault("PART", "1/1"));
        KeyNumbers keys = keys(environment, part.allThreads(threadCount));
        number(environment, "THREADS", threadCount, threadCount, threadCount);
        return new WorkloadSettings(
                keys,
                (int) number(environment, "VALUE_BYTES", 128, 0, VALUE_BYTES_MAX),
                distribution(environment.getOrDefault("DISTRIBUTION", "uniform")),
                number(environment, "SEED", 42, 0, SEED_MAX),
                share(environment, "READ_SHARE", 0.5),
                number(environment, "RANGE_LENGTH", Math.min(100, keys.count()), 1, keys.count()),
                share(environment, "MISSES", 0),
                replicas(environment.getOrDefault("REPLICAS", "")),
                part);
    }

    /** All bytes of a range's answer: of {@code rangeLength} keys with their values. */
    public int rangeBytes() {
        int entryBytes = KeySpace.PREFIX.length() + KeySpace.DIGITS + 1 + valueBytes;
        return Math.toIntExact(Math.multiplyExact(rangeLength, entryBytes));
    }

    /** What follows a key in a request's target. */
    String replicasParameter() {
        return replicas.isEmpty() ? "" : "&replicas=" + replicas;
    }

    private static KeyNumbers keys(Map<String, String> environment, int threadCount) {
        String file = environment.get("KEY_NUMBERS");
        return file == null
                ? KeyNumbers.below(number(environment, "KEYS", 100_000, threadCount, KEYS_MAX))
                : KeyNumbers.listedIn(Path.of(file), threadCount, KEYS_MAX);
    }

    /** All settings on a line, as the scripts print them too. */
    @Override
    public String toString() {
        return "KEYS=%d VALUE_BYTES=%d DISTRIBUTION=%s SEED=%d READ_SHARE=%s RANGE_LENGTH=%d MISSES=%s%s"
                .formatted(
                        keys.count(),
                        valueBytes,
                        distribution,
                        seed,
                        text(readShare),
                        rangeLength,
                        text(missShare),
                        replicas.isEmpty() ? "" : " REPLICAS=" + replicas);
    }

    private static String text(double share) {
        return new BigDecimal(share, new MathContext(6)).stripTrailingZeros().toPlainString();
    }

    private static long number(
            Map<String, String> environment, String name, long byDefault, long min, long max) {
        String text = environment.get(name);
        if (text == null) {
            return byDefault;
        }
        if (text.matches("\\d{1,18}")) {
            long number = Long.parseLong(text);
            if (min <= number && number <= max) {
                return number;
            }
        }
        throw new IllegalArgumentException(
                "%s=%s is not a number from %d to %d".formatted(name, text, min, max));
    }

    private static double share(Map<String, String> environment, String name, double byDefault) {
        String text = environment.get(name);
        if (text == null) {
            return byDefault;
        }
        if (text.matches("\\d{1,9}(\\.\\d{1,9})?") && Double.parseDouble(text) <= 1) {
            return Double.parseDouble(text);
        }
        throw new IllegalArgumentException(name + "=" + text + " is not a share from 0 to 1");
    }

    private static String replicas(String text) {
        if (text.isEmpty() || text.matches("[1-9]\\d?/[1-9]\\d?")) {
            return text;
        }
        throw new IllegalArgumentException("REPLICAS=" + text + " is not ACK/FROM, such as 2/3");
    }

    private static Distribution distribution(String text) {
        return Arrays.stream(Distribution.values())
                .filter(distribution -> distribution.toString().equals(text))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "DISTRIBUTION=%s is none of %s"
                                                .formatted(
                                                        text,
                                                        Arrays.toString(Distribution.values())
                                                                .toLowerCase(Locale.ROOT))));
    }
}
