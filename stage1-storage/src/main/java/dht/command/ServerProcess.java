package dht.command;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import sun.misc.Signal;

/**
 * Keeps a server running until the process is asked to end, by SIGTERM or SIGINT.
 *
 * <p>Thread-safe: signals come on threads of their own.
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
     * Starts a server, prints that it is ready, waits for a signal and closes it. A signal while it
     * starts ends the process at once with exit 0, as nothing has been acknowledged yet; so does a
     * second signal, with the exit code of that signal, and a failure that no thread catches, with
     * exit code 3.
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

    /** What is on the disk is as after kill -9, which the storage is made for. */
    private static void end(int exitCode, String reason) {
        System.err.println(reason);
        Runtime.getRuntime().halt(exitCode);
    }
}
