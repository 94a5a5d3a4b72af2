package dht.stage3;

import static org.assertj.core.api.Assertions.assertThat;

import dht.command.RunningServer;
import dht.command.StageCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A cluster that makes no sense is rejected with one line. */
class MainTest {
    private final StringWriter errors = new StringWriter();

    @TempDir private Path directory;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    --self=http://a:1                                          | --self and --cluster go together
                    --cluster=http://a:1                                       | --self and --cluster go together
                    --self=http://c:3 --cluster=http://a:1,http://b:2          | --cluster lacks --self http://c:3
                    --self=http://a:1 --cluster=http://a:1,http://b:2,HTTP://A:1/ | twice: http://a:1
                    --self=http://a:1 --cluster=http://a:1,b:2                 | node 'b:2' must begin with http://
                    --self=http://a:1 --cluster=https://a:1                    | must begin with http://
                    --self=http://a:1/x --cluster=http://a:1                   | must have nothing after the port
                    --host=0.0.0.0 --self=http://a:1 --cluster=http://a:1,http://b:2 | --host=0.0.0.0: everybody who can reach it
                    --cluster-secret=                                          | --cluster-secret must be
                    --placement=modulo                                         | --placement
                    --placement=consistent --virtual-nodes=0                   | from 1 to 1000000
                    --peer-connections=0                                       | from 1 to 1024
                    --peer-queue-length=0                                      | from 1 to 1000000
                    --peer-failures-max=0                                      | from 1 to 1000000
                    --peer-timeout=0ms                                         | from 1ms to 1h
                    """)
    void run_withOptionsThatMakeNoSense_exits2(String options, String complaint) {
        String arguments = "--port=0 --data=" + directory + " " + options;
        int exitCode =
                StageCommand.lineOf(new Main())
                        .setErr(new PrintWriter(errors, true))
                        .execute(arguments.split(" "));

        assertThat(errors.toString().lines()).hasSize(1);
        assertThat(errors.toString()).startsWith("stage3-sharding: ").contains(complaint);
        assertThat(exitCode).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--host=0.0.0.0 --cluster=http://127.0.0.1:1,http://127.0.0.1:2 --cluster-secret=s",
                "--host=0.0.0.0 --cluster=http://127.0.0.1:1,http://127.0.0.1:2 --insecure-internal",
                "--host=localhost --cluster=http://127.0.0.1:1,http://127.0.0.1:2",
                "--host=0.0.0.0 --cluster=http://127.0.0.1:1"
            })
    void start_withASecretOrOnLoopbackOrAlone_succeeds(String options) throws IOException {
        String arguments = "--port=0 --data=" + directory + " --self=http://127.0.0.1:1 " + options;
        Main main = new Main();
        StageCommand.lineOf(main).parseArgs(arguments.split(" "));
        try (RunningServer server = RunningServer.start(main::start)) {
            assertThat(server.url()).startsWith("http://");
        }
    }
}
