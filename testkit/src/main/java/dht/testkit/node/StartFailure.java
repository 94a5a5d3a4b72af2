package dht.testkit.node;

import java.util.Locale;
import java.util.stream.Stream;

/** A server that didn't come up. The message says which, how, and what it printed. */
public final class StartFailure extends AssertionError {
    private static final long serialVersionUID = 1L;

    /** How it went. */
    public enum Kind {
        /** The server itself gave up. */
        REFUSED,
        /** Somebody else had the port: worth another try on another one. */
        PORT_TAKEN,
        /** The server neither came up nor gave up. */
        TOO_LATE,
        /** There was nothing to run. */
        NOT_RUN
    }

    private final Kind kind;

    public StartFailure(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }

    /** What a server means that gave up with these words. */
    public static Kind kindOf(String output) {
        var text = output.toLowerCase(Locale.ROOT);
        var portTaken =
                Stream.of("address already in use", "address in use", "eaddrinuse", "bindexception")
                        .anyMatch(text::contains);
        return portTaken ? Kind.PORT_TAKEN : Kind.REFUSED;
    }
}
