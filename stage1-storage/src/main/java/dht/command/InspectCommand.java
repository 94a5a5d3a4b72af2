package dht.command;

import dht.storage.inspect.Inspector;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The subcommand that describes the content of a data directory. Used by one thread. */
@Command(
        name = "inspect",
        mixinStandardHelpOptions = true,
        description =
                "Prints logs, tables, their overlap, and the write and space amplification so far. Changes nothing; the"
                        + " server may be running.")
public final class InspectCommand implements Callable<Integer> {
    @Parameters(paramLabel = "DIR", description = "The data directory.")
    private Path data;

    @Option(
            names = "--quick",
            description =
                    "Do not read blocks: blocks are not checked, and space amplification stays unknown.")
    private boolean quick;

    @Override
    public Integer call() throws IOException {
        Inspector.describe(data, !quick).forEach(System.out::println);
        return 0;
    }
}
