package dht.stage5;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dht.command.DurationConverter;
import dht.command.Range;
import dht.command.SizeConverter;
import dht.command.StageCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Every option of every stage that is a number, a size or a time has a range, which is checked when
 * the option is read.
 */
class OptionRangesTest {
    /** Options of these types need no range: every value of the type is one. */
    private static final List<Class<?>> UNBOUNDED =
            List.of(String.class, Path.class, boolean.class, List.class);

    /** An option of a stage, by its name. */
    private record Case(CommandLine line, OptionSpec option) {
        Range range() {
            return ((Field) option.userObject()).getAnnotation(Range.class);
        }

        @Override
        public String toString() {
            return line.getCommandName() + " " + option.longestName();
        }
    }

    private static Stream<CommandLine> stages() {
        return Stream.<Callable<Integer>>of(
                        new dht.stage1.Main(),
                        new dht.stage2.Main(),
                        new dht.stage3.Main(),
                        new dht.stage4.Main(),
                        new Main())
                .map(StageCommand::lineOf);
    }

    private static Stream<Case> bounded() {
        return stages().flatMap(
                        line ->
                                line.getCommandSpec().options().stream()
                                        .map(option -> new Case(line, option)))
                .filter(each -> !each.option.type().isEnum())
                .filter(each -> !UNBOUNDED.contains(each.option.type()));
    }

    @Test
    void stages_all_haveBoundedOptions() {
        assertThat(bounded()).hasSizeGreaterThan(100);
    }

    @ParameterizedTest
    @MethodSource("bounded")
    void option_withAValueAtEitherEndOfItsRange_isRead(Case each) {
        assertThat(each.range()).as(each + " has no @Range").isNotNull();
        String name = each.option.longestName();
        assertThatCode(() -> each.line.parseArgs(name + "=" + each.range().from()))
                .doesNotThrowAnyException();
        assertThatCode(() -> each.line.parseArgs(name + "=" + each.range().to()))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @MethodSource("bounded")
    void option_withAValueOutOfItsRange_exits2AndNamesOptionValueAndRange(Case each) {
        for (String value : outOf(each)) {
            StringWriter errors = new StringWriter();
            int exitCode =
                    each.line
                            .setErr(new PrintWriter(errors, true))
                            .execute(each.option.longestName() + "=" + value);

            assertThat(exitCode).as("%s=%s", each, value).isEqualTo(2);
            assertThat(errors.toString().lines()).hasSize(1);
            assertThat(errors.toString())
                    .contains(each.option.longestName(), "'" + value + "'")
                    .contains(each.range().from() + " to " + each.range().to());
        }
    }

    /**
     * Values just outside the range, and values so large that an overflow would bring them into it.
     */
    private static List<String> outOf(Case each) {
        Class<?> type = each.option.type();
        String from = each.range().from();
        String to = each.range().to();
        if (type == int.class) {
            return List.of(
                    "" + (Integer.parseInt(from) - 1),
                    "" + (Integer.parseInt(to) + 1),
                    "4294967297",
                    "many");
        }
        if (type == Duration.class) {
            Duration least = new DurationConverter().convert(from);
            Duration most = new DurationConverter().convert(to);
            String beyond = most.toMinutes() + 1 + "m";
            return least.isZero()
                    ? List.of(beyond, "999999999d")
                    : List.of(least.toMillis() - 1 + "ms", beyond, "999999999d");
        }
        if (type == double.class) {
            return List.of("99.95");
        }
        long least = new SizeConverter().convert(from);
        long most = new SizeConverter().convert(to);
        return least == 0
                ? List.of("" + (most + 1), "17179869184g")
                : List.of("" + (least - 1), "" + (most + 1), "17179869184g");
    }

    @ParameterizedTest
    @MethodSource("stages")
    void help_always_showsTheRanges(CommandLine line) {
        String help = line.getUsageMessage().replaceAll("\\s+", " ");
        assertThat(help).contains("From 0 to 65535.", "From 4k to 1m.", "From 1ms to 24h.");
    }
}
