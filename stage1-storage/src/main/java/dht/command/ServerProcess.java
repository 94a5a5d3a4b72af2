package dht.command;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import sun.misc.Signal;

/**
 * The process of a server: it runs the server until a SIGTERM or SIGINT arrives.
 *
 * <p>Thread-safe, because signals are handled on other threads.
 */
public final class ServerProcess {
    private enum State {
        STARTING,
        RUNNING,
        STOPPING
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.STARTING);
    private final CountDownLatch asked = new CountDownLatch(1);

    private ServerProcess() {}

    /**
     * Starts a server, prints the ready line, waits for a signal, and closes the server. Three
     * events end the process at once: a signal during the start, with exit code 0, because nothing
     * was acknowledged yet; a second signal, with the exit code of that signal; and a failure that
     * no code catches, with exit code 3.
     *
     * @return the exit code
     * @throws IOException if the server cannot start
     */
    public static int run(RunningServer.Wiring wiring) throws IOException, InterruptedException {
        UncaughtFailure.endsProcess();
        ServerProcess process = new ServerProcess();
        for (String name : new String[] {"TERM", "INT"}) {
            Signal.handle(new Signal(name), process::receive);
        }
        try (RunningServer server = RunningServer.start(wiring)) {
            process.state.set(State.RUNNING);
            System.out.println("ready " + server.url());
            process.asked.await();
        }
        return 0;
    }

    private void receive(Signal signal) {
        State before = state.getAndUpdate(each -> each == State.RUNNING ? State.STOPPING : each);
        switch (before) {
            case STARTING -> end(0, "stopped while starting: signal=" + signal.getName());
            case RUNNING -> asked.countDown();
            case STOPPING ->
                    end(
                            128 + signal.getNumber(),
                            "stopped at once: second signal=" + signal.getName());
        }
    }

    /**
     * Ends the process at once. The files are then as after kill -9, from which the storage can
     * recover.
     */
    private static void end(int exitCode, String reason) {
        System.err.println(reason);
        Runtime.getRuntime().halt(exitCode);
    }
}
