package dht.testkit.hostile;

import java.io.IOException;
import java.net.URI;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * The command line of hostile clients, for measurements: {@code java -cp testkit.jar
 * dht.testkit.hostile.Main KIND URL KEY COUNT}. Each second it prints how many connections are open
 * and how many have ended so far. It ends when its standard input does. For one thread.
 */
@Command(name = "hostile", description = "Keeps hostile connections to a server open.")
public final class Main implements Callable<Integer> {
    @Parameters(index = "0", description = "${COMPLETION-CANDIDATES}")
    private HostileKind kind;

    @Parameters(index = "1", description = "The URL of the server.")
    private URI server;

    @Parameters(index = "2", description = "The key whose value is read or written.")
    private String key;

    @Parameters(index = "3", description = "How many connections are open at the same time.")
    private int count;

    public static void main(String[] words) {
        System.exit(new CommandLine(new Main()).execute(words));
    }

    @Override
    public Integer call() throws IOException {
        try (var clients = HostileClients.start(kind, server, key, count);
                var printer = Executors.newSingleThreadScheduledExecutor()) {
            printer.scheduleAtFixedRate(() -> print(clients), 1, 1, TimeUnit.SECONDS);
            while (System.in.read() >= 0) {
                // Only its end counts.
            }
            printer.shutdownNow();
            print(clients); // Or fails, if they have failed.
        }
        return 0;
    }

    private static void print(HostileClients clients) {
        System.out.printf("%d %d%n", clients.openCount(), clients.endedCount());
    }
}
