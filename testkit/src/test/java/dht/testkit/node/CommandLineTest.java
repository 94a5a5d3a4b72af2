package dht.testkit.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLineTest {
    static Stream<Arguments> plainCommands() {
        return Stream.of(
                Arguments.of("run", List.of("run")),
                Arguments.of("  run \t fast  ", List.of("run", "fast")),
                Arguments.of("run 'a b'  \"c d\"", List.of("run", "a b", "c d")),
                Arguments.of("run a'b c'd\"e f\"g", List.of("run", "ab cde fg")),
                Arguments.of("run '' \"\"", List.of("run", "", "")),
                Arguments.of("run a\\ b \\'", List.of("run", "a b", "'")),
                Arguments.of("run \"a \\\" \\\\ \\$ \\n\"", List.of("run", "a \" \\ $ \\n")),
                Arguments.of("run '\\ $ | *'", List.of("run", "\\ $ | *")),
                Arguments.of("run \"| & ; *\"", List.of("run", "| & ; *")),
                Arguments.of("run --x=1 a=b", List.of("run", "--x=1", "a=b")));
    }

    @ParameterizedTest
    @MethodSource("plainCommands")
    void command_withoutShellSyntax_isSplitAsAShellWould(String text, List<String> words)
            throws Exception {
        assertThat(CommandLine.parse(text).words(Map.of())).isEqualTo(words);
        assertThat(splitByShell(text)).isEqualTo(words);
    }

    /** Lets a shell split the line: a function with the name of the command prints each word. */
    private static List<String> splitByShell(String text) throws Exception {
        var script = "run() { printf '%s\\036' run \"$@\"; }; " + text;
        var shell = new ProcessBuilder("/bin/sh", "-c", script).start();
        var printed =
                new String(
                        shell.getInputStream().readAllBytes(),
                        java.nio.charset.StandardCharsets.UTF_8);
        return List.of(printed.substring(0, printed.length() - 1).split("\u001e", -1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a | b",
                "a && b",
                "a; b",
                "a > b",
                "a $HOME",
                "a \"$HOME\"",
                "a `b`",
                "a *",
                "X=1 a",
                "a #b",
                "~/a"
            })
    void command_withShellSyntax_isLeftToAShell(String text) {
        assertThat(CommandLine.parse(text).words(Map.of())).containsExactly("/bin/sh", "-c", text);
    }

    @Test
    void placeholder_inAWord_isReplacedAndNotSplit() {
        var words =
                CommandLine.parse("run --at={port} {data}/x {other}")
                        .words(Map.of("port", "1", "data", "/a b"));
        assertThat(words).containsExactly("run", "--at=1", "/a b/x", "{other}");
    }

    @Test
    void placeholder_inAShellCommand_isQuotedWhereNeeded() {
        var words =
                CommandLine.parse("run {port} {data} > log")
                        .words(Map.of("port", "1", "data", "/it's a"));
        assertThat(words).containsExactly("/bin/sh", "-c", "run 1 '/it'\\''s a' > log");
    }

    @ParameterizedTest
    @ValueSource(strings = {"run 'a", "run \"a", "run a\\", "", "  "})
    void command_thatIsIncomplete_isRefused(String text) {
        assertThatThrownBy(() -> CommandLine.parse(text))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
