package dht.storage.log;

/** How log files are named. */
public final class LogFiles {
    public static final String SUFFIX = ".log";

    private LogFiles() {}

    public static String name(long number) {
        return String.format("%08d%s", number, SUFFIX);
    }
}
