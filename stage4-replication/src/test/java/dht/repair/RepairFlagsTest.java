package dht.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

class RepairFlagsTest {
    private static RepairOptions options(String... arguments) {
        RepairFlags flags = new RepairFlags();
        new CommandLine(
                        CommandSpec.create()
                                .addMixin("repair", CommandSpec.forAnnotatedObject(flags)))
                .parseArgs(arguments);
        return flags.options(Duration.ofDays(10), Path.of("d"));
    }

    @Test
    void options_byDefault_arePinned() {
        assertThat(options())
                .isEqualTo(
                        new RepairOptions(
                                true,
                                2000,
                                Duration.ofHours(3),
                                256 << 20,
                                Path.of("d/hints"),
                                Duration.ofDays(10),
                                Duration.ofHours(1)));
    }

    @Test
    void options_given_areTaken() {
        assertThat(options("--read-repair=off").isReadRepaired()).isFalse();
        assertThat(options("--repair-rate=7").keysPerSecondMax()).isEqualTo(7);
    }

    @Test
    void switch_thatIsNeither_isRefused() {
        assertThatThrownBy(() -> options("--read-repair=no"))
                .isInstanceOf(ParameterException.class)
                .hasMessageContaining("'no' is not on or off");
    }
}
