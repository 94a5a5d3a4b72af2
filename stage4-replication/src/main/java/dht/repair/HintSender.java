package dht.repair;

import dht.replication.Replica;
import dht.replication.WriteAnswer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;

/**
 * Delivers the hints for one node, in their order and one at a time, each under the stamp of its
 * write. While the node does not take one, that one is tried again and again: so the node gets them
 * as soon as it answers. One that is too old is dropped instead.
 *
 * <p>Thread-safe; the work is done by a thread of its own.
 */
final class HintSender implements AutoCloseable {
    private final HintQueue hints;
    private final Replica replica;
    private final long windowMicros;
    private final InstantSource timeOfDay;
    private final long retryMillis;
    private final Pace pace;
    private final RepairCounts counts;
    private final RepairThread thread;

    /**
     * @param name of the node, for its thread's
     * @param replica the node, which tells nobody of what it does not take
     * @param window after which a hint is too old
     * @param retryPause before the node is asked again that has not taken a hint
     */
    HintSender(
            String name,
            HintQueue hints,
            Replica replica,
            Duration window,
            InstantSource timeOfDay,
            Duration retryPause,
            Pace pace,
            RepairCounts counts) {
        this.hints = hints;
        this.replica = replica;
        this.windowMicros = TimeUnit.MILLISECONDS.toMicros(window.toMillis());
        this.timeOfDay = timeOfDay;
        this.retryMillis = retryPause.toMillis();
        this.pace = pace;
        this.counts = counts;
        this.thread = new RepairThread("hints-" + name, this::sendNext);
    }

    void start() {
        thread.start();
    }

    private void sendNext() throws InterruptedException {
        Copy hint = hints.awaitOldest();
        if (isTooOld(hint)) {
            counts.hintExpired();
            hints.removeOldest();
            return;
        }
        pace.awaitTurn();
        if (replica.isBehind()) {
            TimeUnit.MILLISECONDS.sleep(retryMillis);
            return;
        }
        switch (Awaited.write(replica, hint)) {
            case WriteAnswer.Stored _, WriteAnswer.Late _ -> {
                counts.hintDelivered();
                hints.removeOldest();
            }
            case WriteAnswer.Rejected _ -> { // No more than the write itself was.
                counts.hintRejected();
                hints.removeOldest();
            }
            case WriteAnswer.Failed _ -> TimeUnit.MILLISECONDS.sleep(retryMillis);
        }
    }

    private boolean isTooOld(Copy hint) {
        long nowMicros = TimeUnit.MILLISECONDS.toMicros(timeOfDay.millis());
        return nowMicros - hint.timestampMicros() > windowMicros;
    }

    /** What is not delivered stays for the next process. */
    @Override
    public void close() {
        thread.close();
        hints.close();
    }
}
