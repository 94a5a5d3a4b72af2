package dht.benchmarks.load;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What kind of requests are sent. Described in docs/reference/load.md. */
enum Workload {
    PUT,
    GET,
    MIXED,
    STATUS,
    RANGE;

    private static final Pattern NAME_OR_SCRIPT =
            Pattern.compile("(?:.*/)?(put|get|mixed|status|range)(?:\\.lua)?");

    /**
     * The workload of a name, or of the path of the script that does the same for wrk2.
     *
     * @throws IllegalArgumentException if there is none
     */
    static Workload of(String nameOrScript) {
        Matcher matcher = NAME_OR_SCRIPT.matcher(nameOrScript);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "workload '"
                            + nameOrScript
                            + "' is none of put, get, mixed, status, range, nor a script of that name");
        }
        return valueOf(matcher.group(1).toUpperCase(Locale.ROOT));
    }

    /** Whether answers of 200 and 404 to GETs make a hit ratio. */
    boolean hasHits() {
        return this == GET || this == MIXED;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
