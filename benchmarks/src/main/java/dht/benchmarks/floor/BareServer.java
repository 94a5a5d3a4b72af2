package dht.benchmarks.floor;

import dht.benchmarks.load.WorkloadSettings;
import dht.command.ServerProcess;
import dht.command.StageCommand;
import dht.http.ListenAddress;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The floor: a server which stores nothing and looks nothing up. What it takes to answer is what
 * any server of this kind takes at least. It answers bodies as long as a stage would. Described in
 * docs/reference/load.md.
 */
@Command(
        name = "bare-server",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description = "Answers everything, and stores nothing.",
        footer = "VALUE_BYTES and RANGE_LENGTH are taken from the environment.")
public final class BareServer implements Callable<Integer> {
    @Option(
            names = "--server",
            paramLabel = "LIBRARY",
            defaultValue = "one-nio",
            description = "Who reads and writes HTTP: ${COMPLETION-CANDIDATES}.")
    private HttpLibrary library;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "8080",
            description = "Port to listen on; 0 for any.")
    private int port;

    @Option(
            names = "--host",
            paramLabel = "HOST",
            defaultValue = "127.0.0.1",
            description = "Address to listen on.")
    private String host;

    @Option(
            names = "--selectors",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "Threads that read and write the sockets, of one-nio and Netty; 0 for one per processor.")
    private int selectors;

    public static void main(String[] args) {
        StageCommand.main(new BareServer(), args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Answers answers = new Answers(WorkloadSettings.of(System.getenv(), 1));
        ListenAddress address = ListenAddress.free(host, port);
        return ServerProcess.run(
                resources -> library.start(resources, address, selectors, answers));
    }
}
