package dht.command;

import java.util.concurrent.CountDownLatch;
import sun.misc.Signal;

/** Keeps a server running until the process is asked to end. */
public final class ServerProcess {
    private ServerProcess() {}

    /** A server that accepts requests. */
    public interface Running extends AutoCloseable {
        String url();

        /** Finishes what is in flight, and stops. */
        @Override
        void close();
    }

    /**
     * Tells that the server is ready, waits for SIGTERM or SIGINT and closes it. A second signal
     * ends the process at once.
     *
     * @return the exit code
     */
    public static int run(Running server) throws InterruptedException {
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
        System.out.println("ready " + server.url());
        asked.await();
        server.close();
        return 0;
    }
}
