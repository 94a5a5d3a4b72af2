package dht.benchmarks.load;

import java.util.HashMap;
import java.util.Map;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/** Ends a load early when the process is asked to end, until it is closed. */
final class Interruption implements AutoCloseable {
    private static final int EXIT_CODES_FROM = 128;

    private final Map<Signal, SignalHandler> handlersBefore = new HashMap<>();
    private volatile int exitCode;

    Interruption(Threads threads) {
        for (String name : new String[] {"TERM", "INT"}) {
            Signal signal = new Signal(name);
            handlersBefore.put(
                    signal,
                    Signal.handle(
                            signal,
                            asked -> {
                                exitCode = EXIT_CODES_FROM + asked.getNumber();
                                threads.interrupt();
                            }));
        }
    }

    /** 0 if nobody asked. */
    int exitCode() {
        return exitCode;
    }

    @Override
    public void close() {
        handlersBefore.forEach(Signal::handle);
    }
}
