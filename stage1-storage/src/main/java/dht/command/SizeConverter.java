package dht.command;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Parses sizes in bytes, a number of 1 to 18 digits with an optional unit: {@code 4096}, {@code
 * 16k}, {@code 64m}, {@code 2g}. The units are 2^10, 2^20 and 2^30 bytes; they may also be in upper
 * case. Stateless.
 */
public final class SizeConverter implements ITypeConverter<Long> {
    private static final Pattern SIZE = Pattern.compile("(\\d{1,18})([kmg]?)");

    /**
     * @throws ArithmeticException if the size is too large for a long
     */
    @Override
    public Long convert(String value) {
        Matcher matcher = SIZE.matcher(value.toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new TypeConversionException(
                    "'" + value + "' is not a size such as 4096, 16k, 64m or 2g");
        }
        int shift = matcher.group(2).isEmpty() ? 0 : 10 * ("kmg".indexOf(matcher.group(2)) + 1);
        // A size that is too large for a long is too large for every range.
        return Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << shift);
    }
}
