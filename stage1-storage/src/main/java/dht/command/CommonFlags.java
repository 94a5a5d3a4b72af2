package dht.command;

import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What the command lines of all stages have in common: help, version, inspect and --config. */
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
