package dht.command;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Options from a properties file, by their long names without the dashes. An option of the command
 * line replaces that of the file. Immutable.
 */
final class ConfigFile implements IDefaultValueProvider {
    static final String OPTION = "--config";

    private final Properties properties;

    private ConfigFile(Properties properties) {
        this.properties = properties;
    }

    /**
     * Reads the file that the command line names.
     *
     * @throws IOException if it cannot be read
     * @throws IllegalArgumentException if it contains an option that the command does not have
     */
    static ConfigFile read(Path file, CommandSpec command) throws IOException {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        }
        for (String name : properties.stringPropertyNames()) {
            if (command.findOption("--" + name) == null || OPTION.equals("--" + name)) {
                throw new IllegalArgumentException("unknown option in " + file + ": " + name);
            }
        }
        return new ConfigFile(properties);
    }

    @Override
    public String defaultValue(ArgSpec argument) {
        return argument instanceof OptionSpec option
                ? properties.getProperty(option.longestName().substring(2))
                : null;
    }
}
