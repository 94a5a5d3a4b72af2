package dht.stage2;

import dht.command.InspectCommand;
import dht.command.ListenFlags;
import dht.command.ServerProcess;
import dht.command.StageCommand;
import dht.command.StorageFlags;
import dht.execution.CountedExecutor;
import dht.execution.ExecutionFlags;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the stage 2 server: one node, requests worked on by a bounded pool. */
@Command(
        name = "stage2-async",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description = "A durable key-value store over HTTP that survives overload.",
        subcommands = InspectCommand.class)
public final class Main implements Callable<Integer> {
    @Mixin private ListenFlags listen;

    @Mixin private StorageFlags storage;

    @Mixin private ExecutionFlags execution;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Properties file with any of these options.")
    private Path config;

    public static void main(String[] args) {
        StageCommand.main(new Main(), args);
    }

    @Override
    public Integer call() throws Exception {
        return ServerProcess.run(this::start);
    }

    /** Starts the server that the options ask for. */
    Stage2Server start() throws IOException {
        CountedExecutor executor = execution.openExecutor();
        try {
            return Stage2Server.start(
                    listen.address(),
                    listen.httpOptions(execution.selectorCount()),
                    executor,
                    storage.openDao());
        } catch (IOException | RuntimeException e) {
            executor.close();
            throw e;
        }
    }
}
