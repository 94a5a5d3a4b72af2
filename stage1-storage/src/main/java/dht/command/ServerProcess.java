package dht.command;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import sun.misc.Signal;

/** Keeps a server running until the process is asked to end. */
public final class ServerProcess {
    private ServerProcess() {}

    /**
     * Starts a server, tells that it is ready, waits for SIGTERM or SIGINT and closes it. A signal
     * that comes while it starts counts too; a second one ends the process at once.
     *
     * @return the exit code
     * @throws IOException if the server cannot start
     */
    public static int run(RunningServer.Wiring wiring) throws IOException, InterruptedException {
        CountDownLatch asked = new CountDownLatch(1);
        for (String name : new String[] {"TERM", "INT"}) {
            Signal.handle(
                    new Signal(name),
                    signal -> {
                        if (asked.getCount() == 0) {
                            Runtime.getRuntime().halt(128 + signal.getNumber());
                        }
                        asked.countDown();
                    });
        }
        try (RunningServer server = RunningServer.start(wiring)) {
            // What is alive now lives as long as the server: made old at once, it isn't copied by
            // each of the first fifteen young collections.
            System.gc();
            System.out.println("ready " + server.url());
            asked.await();
        }
        return 0;
    }
}
