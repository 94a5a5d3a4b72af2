package dht.command;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/**
 * Runs the command line of a stage, in the same way for all stages. It prints one line for each
 * error. The exit code is 2 if the command line is wrong, and 1 if the server cannot start.
 * Stateless.
 */
public final class StageCommand {
    private static final int FAILED = 1;

    // Created in advance: later there may be no memory for them.
    private static final byte[] OUT_OF_MEMORY =
            "out of memory: give Java more, such as -Xmx256m\n".getBytes(US_ASCII);
    private static final FileOutputStream STANDARD_ERROR = new FileOutputStream(FileDescriptor.err);

    private StageCommand() {}

    /**
     * Parses the arguments, runs the command, and ends the process with its exit code, even if
     * something is thrown or other threads still run.
     */
    public static void main(Callable<Integer> command, String... arguments) {
        try {
            int exitCode = run(command, arguments);
            if (exitCode != FAILED) {
                System.exit(exitCode);
            }
        } catch (OutOfMemoryError e) { // There was no memory to report the first error.
            writeLastWords();
        } catch (Throwable e) {
            System.err.println(e);
        } finally { // Without shutdown hooks, because they need memory.
            Runtime.getRuntime().halt(FAILED);
        }
    }

    private static void writeLastWords() {
        try {
            STANDARD_ERROR.write(OUT_OF_MEMORY);
        } catch (Throwable _) {
            // The exit code is enough.
        }
    }

    /** Returns the parser of a stage's options, which stores the values in {@code command}. */
    public static CommandLine lineOf(Callable<Integer> command) {
        CommandLine line =
                new CommandLine(command)
                        .setCaseInsensitiveEnumValuesAllowed(true)
                        .setExecutionStrategy(StageCommand::execute)
                        .setParameterExceptionHandler(StageCommand::reportUsage)
                        .setExecutionExceptionHandler(StageCommand::reportFailure);
        RangeConverter.addTo(line.getCommandSpec());
        String version = command.getClass().getPackage().getImplementationVersion();
        line.getCommandSpec()
                .version(
                        line.getCommandName()
                                + " "
                                + (version == null ? "(not packaged)" : version),
                        "Java " + Runtime.version());
        return line;
    }

    /**
     * Runs a parsed command. Like picocli's own method, but it also handles errors such as {@link
     * OutOfMemoryError}.
     */
    private static int execute(CommandLine.ParseResult parsed) {
        try {
            return new CommandLine.RunLast().execute(parsed);
        } catch (Error e) {
            return complain(parsed.commandSpec().commandLine(), messageOf(e), FAILED);
        }
    }

    private static String messageOf(Error e) {
        return e instanceof OutOfMemoryError
                ? "out of memory: " + e.getMessage() + ": give Java more, such as -Xmx256m"
                : e.toString();
    }

    static int run(Callable<Integer> command, String... arguments) {
        CommandLine line = lineOf(command);
        try {
            useConfigFile(line, arguments);
        } catch (IOException e) {
            return complain(line, "cannot read the file of " + ConfigFile.OPTION + ": " + e, 2);
        } catch (IllegalArgumentException e) {
            return complain(line, e.getMessage(), 2);
        }
        return line.execute(arguments);
    }

    /**
     * Reads the configuration file, before the command line is parsed: the file has the defaults
     * for options that the command line does not contain.
     */
    private static void useConfigFile(CommandLine line, String... arguments) throws IOException {
        for (int i = 0; i < arguments.length; i++) {
            String value = null;
            if (arguments[i].startsWith(ConfigFile.OPTION + "=")) {
                value = arguments[i].substring(ConfigFile.OPTION.length() + 1);
            } else if (arguments[i].equals(ConfigFile.OPTION) && i + 1 < arguments.length) {
                value = arguments[i + 1];
            }
            if (value != null) {
                line.setDefaultValueProvider(
                        ConfigFile.read(Path.of(value), line.getCommandSpec()));
            }
        }
    }

    private static int reportUsage(ParameterException e, String... arguments) {
        return complain(e.getCommandLine(), firstLine(e.getMessage()) + " (try --help)", 2);
    }

    private static int reportFailure(
            Exception e, CommandLine line, CommandLine.ParseResult parsed) {
        boolean isUsage = e instanceof IllegalArgumentException;
        return complain(
                line, e.getMessage() == null ? e.toString() : e.getMessage(), isUsage ? 2 : FAILED);
    }

    private static int complain(CommandLine line, String message, int exitCode) {
        line.getErr().println(line.getCommandName() + ": " + message);
        return exitCode;
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse(text);
    }
}
