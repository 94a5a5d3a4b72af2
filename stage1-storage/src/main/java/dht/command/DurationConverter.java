package dht.command;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Parses durations, a number of 1 to 9 digits with a unit: {@code 100ms}, {@code 60s}, {@code 5m},
 * {@code 2h}, {@code 10d}. Stateless.
 */
public final class DurationConverter implements ITypeConverter<Duration> {
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");
    private static final Map<String, ChronoUnit> UNITS =
            Map.of(
                    "ms", ChronoUnit.MILLIS,
                    "s", ChronoUnit.SECONDS,
                    "m", ChronoUnit.MINUTES,
                    "h", ChronoUnit.HOURS,
                    "d", ChronoUnit.DAYS);

    @Override
    public Duration convert(String value) {
        Matcher matcher = DURATION.matcher(value);
        if (!matcher.matches()) {
            throw new TypeConversionException(
                    "'" + value + "' is not a duration such as 100ms, 60s, 5m, 2h or 10d");
        }
        return Duration.of(Long.parseLong(matcher.group(1)), UNITS.get(matcher.group(2)));
    }
}
