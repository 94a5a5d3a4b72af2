package dht.testkit.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.Examples;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class MainTest {
    static Stream<Arguments> misuses() {
        var server = Examples.python();
        return Stream.of(
                Arguments.of(List.of(), "--stage"),
                Arguments.of(List.of("--stage", "1"), "--server"),
                Arguments.of(
                        List.of("--stage", "9", "--server", server),
                        "--stage=9 has no suite; there are [1, 2, 3, 4, 5]"),
                Arguments.of(List.of("--stage", "one", "--server", server), "'one' is not an int"),
                Arguments.of(
                        List.of("--stage", "1", "--server", "run {data}"),
                        "--server has no {port}"),
                Arguments.of(
                        List.of("--stage", "1", "--server", "run {port}"),
                        "--server has no {data}"),
                Arguments.of(
                        List.of("--stage", "3", "--server", "run {port} {data} {self}"),
                        "--server has no {cluster}"),
                Arguments.of(
                        List.of("--stage", "1", "--server", "run 'it {port} {data}"),
                        "quote=' is not closed"),
                Arguments.of(
                        List.of("--stage", "1", "--server", server, "--only", "nothing"),
                        "--only=nothing matches no test"),
                Arguments.of(
                        List.of("--stage", "1", "--server", server, "--only", "("),
                        "--only: Unclosed group"),
                Arguments.of(
                        List.of("--stage", "1", "--server", server, "--patience", "0"),
                        "--patience=0"),
                Arguments.of(
                        List.of("--stage", "1", "--server", server, "--memory-mib", "-1"),
                        "--memory-mib=-1"),
                Arguments.of(List.of("--stage", "1", "--server", server, "--fast"), "--fast"));
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("misuses")
    void options_thatMakeNoSense_areRefusedInOneLine(List<String> args, String complaint) {
        var err = new StringWriter();
        var exitCode =
                Main.commandLine()
                        .setErr(new PrintWriter(err))
                        .execute(args.toArray(String[]::new));
        assertThat(exitCode).isEqualTo(2);
        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .startsWith("testkit: ")
                .contains(complaint);
    }

    @Test
    void help_always_namesEveryOption() {
        var out = new StringWriter();
        var exitCode = Main.commandLine().setOut(new PrintWriter(out)).execute("--help");
        assertThat(exitCode).isZero();
        assertThat(out.toString())
                .contains(
                        "--stage",
                        "--server",
                        "--strict",
                        "--only",
                        "--memory-mib",
                        "--patience",
                        "--seed");
    }
}
