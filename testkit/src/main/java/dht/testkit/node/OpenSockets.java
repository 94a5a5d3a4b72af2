package dht.testkit.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * Lists the TCP connections of this machine. On other systems than Linux, the list is always empty.
 * Stateless.
 */
public final class OpenSockets {
    private static final List<Path> TABLES =
            List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));
    private static final String ESTABLISHED = "01";

    private OpenSockets() {}

    /**
     * The established connections that have an end at one of the ports, each as {@code
     * local->remote} ports.
     */
    public static List<String> establishedAt(Collection<Integer> ports) {
        return TABLES.stream()
                .filter(Files::isReadable)
                .flatMap(OpenSockets::rows)
                .map(row -> row.strip().split("\\s+"))
                .filter(columns -> columns[3].equals(ESTABLISHED))
                .map(columns -> List.of(port(columns[1]), port(columns[2])))
                .filter(ends -> ends.stream().anyMatch(ports::contains))
                .map(ends -> ends.getFirst() + "->" + ends.getLast())
                .toList();
    }

    private static Stream<String> rows(Path table) {
        try {
            return Files.readAllLines(table).stream().skip(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The port of an address such as {@code 0100007F:1F90}. */
    private static int port(String address) {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1), 16);
    }
}
