package dht.benchmarks.floor;

import java.util.function.BiConsumer;

/** The servers that a {@link BareCoordinator} asks. Thread-safe. */
interface Others extends AutoCloseable {
    /**
     * Asks all of them the same.
     *
     * @param target path and query
     * @param value to write, or null to read
     * @param receiver told the first one's answer when all have answered, or else why one has not;
     *     the other is null; on any thread
     */
    void ask(String target, byte[] value, BiConsumer<byte[], Throwable> receiver);

    @Override
    void close();
}
