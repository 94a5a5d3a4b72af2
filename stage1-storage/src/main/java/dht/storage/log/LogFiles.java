package dht.storage.log;

import java.util.Locale;
import java.util.OptionalLong;

/** How log files are named. */
public final class LogFiles {
    public static final String SUFFIX = ".log";

    /**
     * Ends the name of a file that is going to be a log. So whatever bears a log's name has a whole
     * header, and a log without one is damaged.
     */
    public static final String NEW_SUFFIX = ".log.new";

    private LogFiles() {}

    public static String name(long number) {
        return String.format(Locale.ROOT, "%08d%s", number, SUFFIX);
    }

    /** The number of the log that bears this name; empty if it is none of a log. */
    public static OptionalLong number(String name) {
        String stem = name.substring(0, Math.max(0, name.length() - SUFFIX.length()));
        if (!stem.matches("[0-9]{1,18}") || !name.equals(name(Long.parseLong(stem)))) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(Long.parseLong(stem));
    }

    /** Name of the file until its header is durable. */
    public static String newName(long number) {
        return String.format(Locale.ROOT, "%08d%s", number, NEW_SUFFIX);
    }
}
