package dht.stage5;

import static org.assertj.core.api.Assertions.assertThat;

import dht.command.Range;
import dht.command.StageCommand;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.OptionSpec;

/** The reference page lists exactly the existing options, with their defaults and ranges. */
class CommandLinePageTest {
    private static final Path PAGE = Path.of("..", "docs", "reference", "command-line.md");

    private static final List<Callable<Integer>> STAGES =
            List.of(
                    new dht.stage1.Main(),
                    new dht.stage2.Main(),
                    new dht.stage3.Main(),
                    new dht.stage4.Main(),
                    new Main());

    @Test
    void page_ofTheCommandLine_listsEveryOptionWithDefaultRangeAndStage() throws IOException {
        List<String> listed =
                Files.readAllLines(PAGE).stream()
                        .dropWhile(line -> !line.startsWith("## All options"))
                        .skip(1)
                        .takeWhile(line -> !line.startsWith("## "))
                        .filter(line -> line.startsWith("| `--"))
                        .toList();

        assertThat(listed).containsExactlyInAnyOrderElementsOf(rows().values());
    }

    /** The options by name, each from the first stage that has it. */
    private static Map<String, String> rows() {
        Map<String, String> rows = new LinkedHashMap<>();
        for (int stage = 1; stage <= STAGES.size(); stage++) {
            var spec = StageCommand.lineOf(STAGES.get(stage - 1)).getCommandSpec();
            for (OptionSpec option : spec.options()) {
                if (!option.usageHelp() && !option.versionHelp()) {
                    rows.putIfAbsent(option.longestName(), row(option, stage));
                }
            }
        }
        return rows;
    }

    private static String row(OptionSpec option, int stage) {
        Range range = ((Field) option.userObject()).getAnnotation(Range.class);
        return "| `%s` | %s | %s | %d |"
                .formatted(
                        option.longestName(),
                        Optional.ofNullable(option.defaultValue())
                                .map("`%s`"::formatted)
                                .orElse(""),
                        range == null ? "" : "`%s` to `%s`".formatted(range.from(), range.to()),
                        stage);
    }
}
