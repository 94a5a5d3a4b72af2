package dht.storage.lsm;

import dht.storage.Eventually;
import dht.storage.StorageException;
import dht.storage.WriteListener;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The calls that listeners of writes have received, in order, each with its thread. Thread-safe.
 */
final class Outcomes {
    private final List<String> outcomes = new ArrayList<>();
    private final List<String> threads = new ArrayList<>();
    private volatile Consumer<String> onOutcome = _ -> {};

    /** Called by the listener, with the key of its write; what it throws, the listener throws. */
    void onOutcome(Consumer<String> action) {
        onOutcome = action;
    }

    void put(SimulatedEngine engine, String key, String value, long timestampMicros) {
        engine.dao().write(key, value, timestampMicros, listener(key));
    }

    WriteListener listener(String key) {
        return new KeyListener(key);
    }

    private final class KeyListener implements WriteListener {
        private final String key;

        KeyListener(String key) {
            this.key = key;
        }

        @Override
        public void durable() {
            add(key + " durable");
            onOutcome.accept(key);
        }

        @Override
        public void failed(StorageException failure) {
            add(key + " failed: " + failure.getMessage());
            onOutcome.accept(key);
        }
    }

    private synchronized void add(String outcome) {
        outcomes.add(outcome);
        threads.add(Thread.currentThread().getName());
    }

    synchronized List<String> all() {
        return List.copyOf(outcomes);
    }

    synchronized List<String> threads() {
        return List.copyOf(threads);
    }

    void await(int count) {
        Eventually.holds(() -> all().size() >= count, this::all);
    }
}
