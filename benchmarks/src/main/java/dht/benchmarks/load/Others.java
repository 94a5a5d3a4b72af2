package dht.benchmarks.load;

import java.util.function.Consumer;

/** The servers that a {@link BareCoordinator} asks. Thread-safe. */
interface Others extends AutoCloseable {
    /**
     * Asks all of them the same.
     *
     * @param target path and query
     * @param value to write, or null to read
     * @param receiver told the first one's answer when all have answered, or null if one has not;
     *     on any thread
     */
    void ask(String target, byte[] value, Consumer<byte[]> receiver);

    @Override
    void close();
}
