package dht.cluster;

/**
 * The port on which nodes serve each other. It is either the same number on all nodes, or the port
 * of each node's URL plus a distance. All nodes must have the same setting. Immutable.
 *
 * @param number the port, or the distance
 */
public record InternalPort(int number, boolean isDistance) {
    private static final int PORT_MAX = 65_535;

    /** Nodes use the port of the URL, as clients do. */
    public static final InternalPort SHARED = new InternalPort(0, true);

    /**
     * Parses a port, such as {@code 9090}, or a distance, such as {@code +1000}.
     *
     * @throws IllegalArgumentException with one line that says what is wrong
     */
    public static InternalPort parse(String text) {
        boolean isDistance = text.startsWith("+");
        int number;
        try {
            number = Integer.parseInt(isDistance ? text.substring(1) : text);
        } catch (NumberFormatException e) {
            number = 0;
        }
        if (number < 1 || number > PORT_MAX) {
            throw new IllegalArgumentException(
                    "--internal-port=%s: must be a port from 1 to %d, or a distance such as +1000"
                            .formatted(text, PORT_MAX));
        }
        return new InternalPort(number, isDistance);
    }

    /**
     * The internal port of a node that serves clients on the given port.
     *
     * @param port the port for clients
     * @throws IllegalArgumentException if the internal port is the clients' port or greater than
     *     65535; the message is one line that says what is wrong
     */
    public int beside(int port) {
        int internal = isDistance ? port + number : number;
        if (internal > PORT_MAX) {
            throw new IllegalArgumentException(
                    "--internal-port=+%d: port=%d plus this is more than %d: choose a smaller distance"
                            .formatted(number, port, PORT_MAX));
        }
        if (internal == port && !equals(SHARED)) {
            throw new IllegalArgumentException(
                    "--internal-port=%d: clients use this port: choose another one"
                            .formatted(number));
        }
        return internal;
    }

    /** The address at which a node serves other nodes. */
    public NodeAddress of(NodeAddress node) {
        return new NodeAddress(node.host(), beside(node.port()));
    }
}
