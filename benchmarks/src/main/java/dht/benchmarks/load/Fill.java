package dht.benchmarks.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Writes each key of a thread once, as fast as the server takes them: a closed loop. What is
 * answered 503 or 504 is tried again: 503 was not written, and 504 may be on some replicas, where
 * the second try writes the same value. Confined to the thread that runs it, except {@link #stop};
 * its results may be read when it has ended.
 */
final class Fill implements Runnable {
    private static final int RETRY_MILLIS = 20;
    private static final int PROGRESS_CHECK_MILLIS = 250;
    private static final long NOTHING = -1;

    private final RequestSource requests;
    private final KeySpace keys;
    private final long patienceNanos;
    private final EventLoop loop;
    private final LoadOptions options;
    private final List<FillConnection> connections = new ArrayList<>();
    private long nextPlace;
    private long written;
    private long retries;
    private long lastProgressNanos;
    private String failure;

    /**
     * @param patienceNanos how long it goes on while not a single key is written
     */
    Fill(
            LoadOptions options,
            RequestSource requests,
            KeySpace keys,
            long patienceNanos,
            LongSupplier clockNanos)
            throws IOException {
        this.options = options;
        this.requests = requests;
        this.keys = keys;
        this.patienceNanos = patienceNanos;
        this.loop = new EventLoop(clockNanos);
        for (int i = 0; i < options.connections(keys.thread()); i++) {
            connections.add(new FillConnection());
        }
    }

    @Override
    public void run() {
        try (loop) {
            lastProgressNanos = loop.nanos();
            loop.schedule(new ProgressCheck(), PROGRESS_CHECK_MILLIS);
            connections.forEach(connection -> connection.connection.open());
            loop.run();
            connections.forEach(connection -> connection.connection.close());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends it early. Thread-safe. */
    void stop() {
        loop.stop();
    }

    long written() {
        return written;
    }

    long retries() {
        return retries;
    }

    /** Why not all is written, or null. */
    String failure() {
        return failure;
    }

    private void fail(String reason) {
        failure = reason;
        loop.stop();
    }

    private final class FillConnection extends EventLoop.Timer implements Connection.Owner {
        private final Connection connection =
                new Connection(loop, options.address(keys.thread()), this);
        private final RequestBuffers buffers = requests.newBuffers();
        private long place = NOTHING;

        @Override
        public void connected() {
            if (place == NOTHING && nextPlace < keys.size()) {
                place = nextPlace++;
            }
            if (place != NOTHING) {
                requests.put(keys.number(place), buffers);
                connection.send(buffers);
            }
        }

        @Override
        public void answered(int status) {
            switch (status) {
                case 200, 201 -> {
                    place = NOTHING;
                    written++;
                    lastProgressNanos = loop.nanos();
                    if (written == keys.size()) {
                        loop.stop();
                    } else {
                        sendNext();
                    }
                }
                case 503, 504 -> {
                    retries++;
                    loop.schedule(this, RETRY_MILLIS);
                }
                default -> fail("answered " + status + " to PUT of " + keys.number(place));
            }
        }

        private void sendNext() {
            if (connection.isOpen()) {
                connected();
            } else {
                connection.open();
            }
        }

        @Override
        public void broken(Connection.Fault fault) {
            retries += place == NOTHING ? 0 : 1;
            if (!isWaiting()) {
                loop.schedule(this, RETRY_MILLIS);
            }
        }

        @Override
        public void received(int bytes) {}

        @Override
        void fire(long nowNanos) {
            sendNext();
        }
    }

    private final class ProgressCheck extends EventLoop.Timer {
        @Override
        void fire(long nowNanos) {
            if (nowNanos - lastProgressNanos > patienceNanos) {
                fail("no key was written for " + patienceNanos / 1_000_000_000 + " s");
            }
            loop.schedule(this, PROGRESS_CHECK_MILLIS);
        }
    }
}
