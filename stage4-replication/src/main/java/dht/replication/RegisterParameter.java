package dht.replication;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.http.HttpRequest;
import dht.http.RequestException;

/**
 * Reads the kind of register from a request: {@code reads=regular} or {@code reads=atomic}.
 * Immutable and thread-safe.
 *
 * @param usual the kind for requests without this parameter
 */
record RegisterParameter(RegisterKind usual) {
    private static final String NAME = "reads";

    /**
     * @throws RequestException with one line that says what is wrong
     */
    RegisterKind of(HttpRequest http) throws RequestException {
        return of(http.parameter(NAME));
    }

    /** Reads the kind from the parameter's value; null if it is missing. */
    RegisterKind of(byte[] value) throws RequestException {
        if (value == null) {
            return usual;
        }
        return switch (new String(value, ISO_8859_1)) {
            case "regular" -> RegisterKind.REGULAR;
            case "atomic" -> RegisterKind.ATOMIC;
            default -> throw RequestException.badRequest(NAME + ": must be regular or atomic");
        };
    }
}
