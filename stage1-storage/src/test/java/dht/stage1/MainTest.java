package dht.stage1;

import static org.assertj.core.api.Assertions.assertThat;

import dht.command.StageCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that cannot start prints one line, with the reason and what to do about it. */
class MainTest {
    private final StringWriter errors = new StringWriter();

    @TempDir private Path directory;

    private int run(String... arguments) {
        return StageCommand.lineOf(new Main())
                .setErr(new PrintWriter(errors, true))
                .execute(arguments);
    }

    private void assertOneLine(String... parts) {
        assertThat(errors.toString().lines()).hasSize(1);
        assertThat(errors.toString()).startsWith("stage1-storage: ").contains(parts);
    }

    @Test
    void run_noData_exits2() {
        assertThat(run("--port=0")).isEqualTo(2);
        assertOneLine("--data DIR is missing", "--help");
    }

    @Test
    void run_portTaken_exits1() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(run("--port=" + taken.getLocalPort(), "--data=" + directory)).isEqualTo(1);
            assertOneLine("port=" + taken.getLocalPort());
        }
    }

    @Test
    void run_dataIsAFile_exits1() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));

        assertThat(run("--port=0", "--data=" + file)).isEqualTo(1);
        assertOneLine("cannot use data directory", file.toString());
    }
}
