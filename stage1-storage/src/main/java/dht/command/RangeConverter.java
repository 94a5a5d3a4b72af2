package dht.command;

import java.lang.reflect.AnnotatedElement;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.TypeConversionException;

/**
 * Parses the value of an option, and rejects it if it is outside of the option's {@link Range}. So
 * no value is silently changed to another one. Immutable.
 */
final class RangeConverter implements ITypeConverter<Object> {
    private final ITypeConverter<?> converter;
    private final Range range;

    private RangeConverter(ITypeConverter<?> converter, Range range) {
        this.converter = converter;
        this.range = range;
    }

    /**
     * Adds the check to all options of a command that have a range, and adds the range to their
     * descriptions.
     */
    static void addTo(CommandSpec command) {
        for (OptionSpec option : List.copyOf(command.options())) {
            command.remove(
                    option); // All options are removed and added again, so that their order stays.
            Range range = rangeOf(option);
            command.addOption(range == null ? option : withRange(option, range));
        }
    }

    /** The range of an option, or null if it has none. */
    static Range rangeOf(OptionSpec option) {
        return option.userObject() instanceof AnnotatedElement field
                ? field.getAnnotation(Range.class)
                : null;
    }

    private static OptionSpec withRange(OptionSpec option, Range range) {
        ITypeConverter<?> converter =
                option.converters().length > 0 ? option.converters()[0] : Integer::valueOf;
        String[] description = Arrays.copyOf(option.description(), option.description().length + 1);
        description[description.length - 1] = "From " + range.from() + " to " + range.to() + ".";
        return option.toBuilder()
                .converters(new RangeConverter(converter, range))
                .description(description)
                .build();
    }

    @Override
    public Object convert(String text) throws Exception {
        Comparable<Object> value = read(text);
        if (value.compareTo(read(range.from())) < 0 || value.compareTo(read(range.to())) > 0) {
            throw outOfRange(text);
        }
        return value;
    }

    @SuppressWarnings("unchecked") // Both values have the type of the option.
    private Comparable<Object> read(String text) throws Exception {
        try {
            return (Comparable<Object>) converter.convert(text);
        } catch (NumberFormatException | ArithmeticException e) {
            throw outOfRange(text);
        }
    }

    private TypeConversionException outOfRange(String text) {
        return new TypeConversionException(
                "'" + text + "' must be from " + range.from() + " to " + range.to());
    }
}
