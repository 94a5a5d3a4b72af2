package dht.storage.log;

import java.util.Locale;
import java.util.OptionalLong;

/** The names of log files. Stateless and thread-safe. */
public final class LogFiles {
    public static final String SUFFIX = ".log";

    /**
     * The suffix of a log whose header is not complete yet. So every file with the name of a log
     * has a complete header, or it is damaged.
     */
    public static final String NEW_SUFFIX = ".log.new";

    private LogFiles() {}

    public static String name(long number) {
        return String.format(Locale.ROOT, "%08d%s", number, SUFFIX);
    }

    /** The number of the log with this name; empty if it is not the name of a log. */
    public static OptionalLong number(String name) {
        String stem = name.substring(0, Math.max(0, name.length() - SUFFIX.length()));
        if (!stem.matches("[0-9]{1,18}") || !name.equals(name(Long.parseLong(stem)))) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(Long.parseLong(stem));
    }

    /** The name of the file until its header is durable. */
    public static String newName(long number) {
        return String.format(Locale.ROOT, "%08d%s", number, NEW_SUFFIX);
    }
}
