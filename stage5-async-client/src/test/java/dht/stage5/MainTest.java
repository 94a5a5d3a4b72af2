package dht.stage5;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.command.RunningServer;
import dht.command.StageCommand;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class MainTest {
    @TempDir private Path directory;

    private Main main(String... arguments) {
        Main main = new Main();
        CommandLine line = StageCommand.lineOf(main);
        line.parseArgs("--port=0", "--data=" + directory);
        String[] all = new String[arguments.length + 2];
        all[0] = "--port=0";
        all[1] = "--data=" + directory;
        System.arraycopy(arguments, 0, all, 2, arguments.length);
        line.parseArgs(all);
        return main;
    }

    /** {@link StageCommand} turns this exception into its message and exit code 2. */
    @Test
    void clientThatBlocks_askedNotToBlock_isRefusedInOneLine() {
        assertThatThrownBy(() -> RunningServer.start(main("--peer-client=one-nio")::start))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--fan-out=parallel")
                .message()
                .doesNotContain("\n");
    }

    /** The thread that asks the other nodes would otherwise do a write that gets a new stamp. */
    @Test
    void executor_thatIsInPlace_isRefusedInOneLine() {
        assertThatThrownBy(() -> RunningServer.start(main("--executor=inline")::start))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("use --executor=fifo")
                .message()
                .doesNotContain("\n");
    }

    @Test
    void options_thatAreNone_areRefused() {
        for (String option :
                new String[] {
                    "--peer-client=netty",
                    "--fan-out=all",
                    "--peer-executor=common",
                    "--hedge-percentile=0",
                    "--hedge-percentile=100",
                    "--hedge-percentile=often"
                }) {
            assertThatThrownBy(() -> main(option))
                    .as(option)
                    .isInstanceOf(CommandLine.ParameterException.class);
        }
    }

    /** The experiments rely on these. */
    @Test
    void help_always_tellsTheDefaults() {
        String help = StageCommand.lineOf(new Main()).getUsageMessage();
        assertThat(help)
                .containsPattern("--peer-client=jdk\\|one-nio[\\s\\S]*Default: jdk")
                .containsPattern("--fan-out=async\\|parallel\\|sequential[\\s\\S]*Default: async");
    }
}
