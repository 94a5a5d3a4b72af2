package dht.benchmarks.load;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Numbers and times as wrk2 takes them, whatever the case of the unit. */
final class UnitConverters {
    private UnitConverters() {}

    /** {@code 64}, {@code 10k}, {@code 1M}. */
    static final class Metric implements ITypeConverter<Long> {
        private static final Pattern NUMBER = Pattern.compile("(\\d{1,9})([kKmMgG]?)");

        @Override
        public Long convert(String value) {
            Matcher matcher = NUMBER.matcher(value);
            if (!matcher.matches()) {
                throw new TypeConversionException("'" + value + "' is not a number such as 10k");
            }
            long factor =
                    switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
                        case "k" -> 1_000;
                        case "m" -> 1_000_000;
                        case "g" -> 1_000_000_000;
                        default -> 1;
                    };
            return Long.parseLong(matcher.group(1)) * factor;
        }
    }

    /**
     * {@code 60}, {@code 60s}, {@code 2m}, {@code 1h}; and {@code 500ms}, which wrk2 doesn't know.
     */
    static final class Time implements ITypeConverter<Duration> {
        private static final Pattern TIME =
                Pattern.compile("(\\d{1,9})(ms|s|m|h)?", Pattern.CASE_INSENSITIVE);

        @Override
        public Duration convert(String value) {
            Matcher matcher = TIME.matcher(value);
            if (!matcher.matches()) {
                throw new TypeConversionException(
                        "'" + value + "' is not a time such as 500ms, 60s, 2m or 1h");
            }
            long number = Long.parseLong(matcher.group(1));
            String unit = matcher.group(2) == null ? "s" : matcher.group(2);
            return switch (unit.toLowerCase(Locale.ROOT)) {
                case "ms" -> Duration.ofMillis(number);
                case "m" -> Duration.ofMinutes(number);
                case "h" -> Duration.ofHours(number);
                default -> Duration.ofSeconds(number);
            };
        }
    }
}
