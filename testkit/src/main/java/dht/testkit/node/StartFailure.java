package dht.testkit.node;

import java.util.Locale;
import java.util.stream.Stream;

/**
 * The failure of a server to start. The message says which server, how it failed, and what it
 * printed.
 */
public final class StartFailure extends AssertionError {
    private static final long serialVersionUID = 1L;

    /** How the start failed. */
    public enum Kind {
        /** The server ended itself with an error. */
        REFUSED,
        /** Another program used the port: another port may work. */
        PORT_TAKEN,
        /** The server did not become ready in time, and did not end. */
        TOO_LATE,
        /** The server could not be run at all. */
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

    /** The kind of failure, by what the server printed. */
    public static Kind kindOf(String output) {
        var text = output.toLowerCase(Locale.ROOT);
        var portTaken =
                Stream.of("address already in use", "address in use", "eaddrinuse", "bindexception")
                        .anyMatch(text::contains);
        return portTaken ? Kind.PORT_TAKEN : Kind.REFUSED;
    }
}
