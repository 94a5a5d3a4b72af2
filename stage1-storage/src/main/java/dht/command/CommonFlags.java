package dht.command;

import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command-line options of all stages: help, version, inspect and --config. Not thread-safe. */
@Command(
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        subcommands = InspectCommand.class)
public final class CommonFlags {
    // Read by ConfigFile before the command line is parsed.
    @Option(
            names = ConfigFile.OPTION,
            paramLabel = "FILE",
            description = "Properties file with any of these options.")
    private Path config;
}
