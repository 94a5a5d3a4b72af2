package dht.repair;

import static java.nio.charset.StandardCharsets.UTF_8;

import dht.cluster.NodeAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * What a node says about itself to another node. A greeting is answered with a greeting. Immutable.
 *
 * <p>On the wire: {@code PUT} {@value #PATH}, text, one value per line. Described in
 * docs/reference/http.md.
 *
 * @param node the node that sends it
 * @param identity the identity of its data directory
 * @param phase what it knows about its own data
 * @param yours the identity of the receiver's data directory, as the sender remembers it; empty if
 *     it remembers none
 * @param contactBeforeMillis when it had contact with another node before it was started, in
 *     milliseconds since 1970; 0 if never
 * @param up how long it has been running
 */
record Greeting(
        NodeAddress node,
        UUID identity,
        NodePhase phase,
        Optional<UUID> yours,
        long contactBeforeMillis,
        Duration up) {
    static final String PATH = "/internal/v0/node";

    /** A longer text is rejected. */
    static final int BYTES_MAX = 4096;

    private static final String NONE = "-";

    /**
     * @throws IllegalArgumentException if the text is not a greeting
     */
    static Greeting parse(byte[] body) {
        Map<String, String> values = new HashMap<>();
        for (String line : new String(body, UTF_8).split("\n", -1)) {
            int space = line.indexOf(' ');
            if (space > 0) {
                values.put(line.substring(0, space), line.substring(space + 1));
            }
        }
        String yours = value(values, "yours");
        return new Greeting(
                NodeAddress.parse(value(values, "node")),
                UUID.fromString(value(values, "identity")),
                NodePhase.valueOf(value(values, "phase").toUpperCase(Locale.ROOT)),
                yours.equals(NONE) ? Optional.empty() : Optional.of(UUID.fromString(yours)),
                Long.parseLong(value(values, "contact-before")),
                Duration.ofMillis(Long.parseLong(value(values, "up"))));
    }

    private static String value(Map<String, String> values, String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException(name + ": missing");
        }
        return value;
    }

    byte[] toBytes() {
        return """
        node %s
        identity %s
        phase %s
        yours %s
        contact-before %d
        up %d
        """
                .formatted(
                        node.url(),
                        identity,
                        phase.name().toLowerCase(Locale.ROOT),
                        yours.map(UUID::toString).orElse(NONE),
                        contactBeforeMillis,
                        up.toMillis())
                .getBytes(UTF_8);
    }
}
