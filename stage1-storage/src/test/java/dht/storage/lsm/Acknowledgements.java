package dht.storage.lsm;

import dht.storage.Eventually;
import dht.storage.StorageException;
import dht.storage.WriteListener;
import dht.storage.lsm.History.Write;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** The outcomes of writes that wait at the same time. Enters them in a history. Thread-safe. */
final class Acknowledgements {
    private final History history;
    private final BooleanSupplier isDead;
    private final AtomicInteger outcomes = new AtomicInteger();
    private volatile boolean isFailed;

    /**
     * @param isDead whether the process has died: what is acknowledged after that, nobody hears
     */
    Acknowledgements(History history, BooleanSupplier isDead) {
        this.history = history;
        this.isDead = isDead;
    }

    /** Enters a write in the history, and returns the listener for it. */
    WriteListener begin(Write write) {
        int number = history.begin(write);
        return new WriteListener() {
            @Override
            public void durable() {
                if (!isDead.getAsBoolean()) {
                    history.acknowledge(number);
                }
                outcomes.incrementAndGet();
            }

            @Override
            public void failed(StorageException failure) {
                isFailed = true;
                outcomes.incrementAndGet();
            }
        };
    }

    /** Whether a write has failed. It may be there or not, and the storage takes no more. */
    boolean isFailed() {
        return isFailed;
    }

    /** Waits for the outcomes of so many writes since the beginning. */
    void await(int count) {
        Eventually.holds(
                () -> outcomes.get() == count,
                () -> "outcomes=%d of writes=%d".formatted(outcomes.get(), count));
        history.checkOrder();
    }
}
