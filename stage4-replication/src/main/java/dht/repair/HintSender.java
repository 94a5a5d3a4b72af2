package dht.repair;

import dht.replication.Replica;
import dht.replication.WriteAnswer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;

/**
 * Delivers the hints for one node, in order and one at a time, each with the stamp of its write. If
 * the node does not store a hint, the sender tries the same hint again after a short pause. So the
 * node gets its hints soon after it answers again. A hint that is too old is dropped.
 *
 * <p>Thread-safe. Its own thread does the work.
 */
final class HintSender implements AutoCloseable {
    private final HintQueue hints;
    private final Replica replica;
    private final long windowMicros;
    private final InstantSource timeOfDay;
    private final long retryMillis;
    private final RateLimiter limiter;
    private final RepairCounts counts;
    private final RepairThread thread;

    /**
     * @param name the node's name, which becomes part of the thread's name
     * @param hints must be closed after this
     * @param replica the node; its failed writes must not be reported as missed, or they would
     *     become hints again
     * @param window the age at which a hint is dropped
     * @param retryPause how long to wait after a failure before the next try
     */
    HintSender(
            String name,
            HintQueue hints,
            Replica replica,
            Duration window,
            InstantSource timeOfDay,
            Duration retryPause,
            RateLimiter limiter,
            RepairCounts counts) {
        this.hints = hints;
        this.replica = replica;
        this.windowMicros = TimeUnit.MILLISECONDS.toMicros(window.toMillis());
        this.timeOfDay = timeOfDay;
        this.retryMillis = retryPause.toMillis();
        this.limiter = limiter;
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
        limiter.awaitTurn();
        if (replica.isBehind()) {
            TimeUnit.MILLISECONDS.sleep(retryMillis);
            return;
        }
        switch (BlockingCall.write(replica, hint)) {
            case WriteAnswer.Stored _, WriteAnswer.Superseded _ -> delivered();
            case WriteAnswer.Rejected _ -> {
                // The node rejects the stamp, as it would have rejected the original write.
                counts.hintRejected();
                hints.removeOldest();
            }
            case WriteAnswer.Failed failed when failed.isStored() -> delivered();
            case WriteAnswer.Failed _ -> TimeUnit.MILLISECONDS.sleep(retryMillis);
        }
    }

    private void delivered() {
        counts.hintDelivered();
        hints.removeOldest();
    }

    private boolean isTooOld(Copy hint) {
        long nowMicros = TimeUnit.MILLISECONDS.toMicros(timeOfDay.millis());
        return nowMicros - hint.timestampMicros() > windowMicros;
    }

    /** Ends the thread. Hints that are not delivered stay in the queue. */
    @Override
    public void close() {
        thread.close();
    }
}
