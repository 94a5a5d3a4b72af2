package dht.stage1;

import dht.command.InspectCommand;
import dht.command.ListenFlags;
import dht.command.ServerProcess;
import dht.command.StageCommand;
import dht.command.StorageFlags;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the stage 1 server: one node, requests handled on the threads that read them. */
@Command(
        name = "stage1-storage",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description = "A durable key-value store over HTTP.",
        subcommands = InspectCommand.class)
public final class Main implements Callable<Integer> {
    @Mixin private ListenFlags listen;

    @Mixin private StorageFlags storage;

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
    Stage1Server start() throws IOException {
        return Stage1Server.start(listen.address(), listen.httpOptions(), storage.openDao());
    }
}
