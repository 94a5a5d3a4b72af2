package dht.replication.async;

import dht.peer.CircuitBreaker;
import dht.peer.TimeoutQueue;
import dht.peer.TimeoutThread;
import dht.replication.Replica;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * When a read doesn't wait any longer, and asks one more replica than it needs: when an answer is
 * later than most of late. After "hedged requests" in J. Dean and L. A. Barroso, "The Tail at
 * Scale", CACM 56(2), 2013.
 *
 * <p>Hedges are bounded by a share of the reads, or a cluster that is slow everywhere would have to
 * do twice the work. So that one slow replica doesn't use that up, it is asked last for a while
 * after a few reads in a row didn't wait for it.
 *
 * <p>Thread-safe.
 */
public final class Hedges {
    /** Below that, waiting costs less than asking. */
    private static final Duration DELAY_MIN = Duration.ofMillis(1);

    private static final Duration DELAY_MAX = Duration.ofMillis(100);
    private static final long LOOK_PAUSE_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(5);

    /** So many reads allow one hedge. */
    private static final int READS_PER_HEDGE = 10;

    /** So many hedges at most may be allowed by reads of before. */
    private static final int HEDGES_SAVED_MAX = 64;

    private static final int LATE_MAX = 3;
    private static final Duration LATE_PAUSE = Duration.ofMillis(500);
    private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(1);

    private final LatencyPercentile latency;
    private final TimeoutQueue waiting;
    private final AtomicInteger allowance =
            new AtomicInteger(HEDGES_SAVED_MAX * READS_PER_HEDGE); // In reads.
    private final Map<Replica, CircuitBreaker> promptness = new ConcurrentHashMap<>();
    private final LongAdder hedged = new LongAdder();
    private final LongAdder denied = new LongAdder();

    /**
     * @param percentile of the latencies of late, over 0 and under 100, after which a read is
     *     hedged
     * @param timeoutThread where reads go on that don't wait any longer
     */
    public Hedges(double percentile, TimeoutThread timeoutThread) {
        this.latency =
                new LatencyPercentile(percentile / 100, DELAY_MIN.toNanos(), DELAY_MAX.toNanos());
        this.waiting = timeoutThread.queue(DELAY_MAX.toNanos(), LOOK_PAUSE_NANOS_MAX);
    }

    /** Watches over a read that has asked as many as it needs. */
    void watch(TimeoutQueue.Timeout read) {
        waiting.add(read, latency.nanos());
    }

    /** A read begins. */
    void begin() {
        if (allowance.get() < HEDGES_SAVED_MAX * READS_PER_HEDGE) {
            allowance.incrementAndGet();
        }
    }

    /** Whether a read may ask one more. */
    boolean tryHedge() {
        if (allowance.addAndGet(-READS_PER_HEDGE) >= 0) {
            hedged.increment();
            return true;
        }
        allowance.addAndGet(READS_PER_HEDGE);
        denied.increment();
        return false;
    }

    /** The same replicas, those that were late of late behind the others. */
    List<Replica> inOrder(List<Replica> replicas) {
        for (Replica replica : replicas) {
            if (isLate(replica)) {
                return sorted(replicas);
            }
        }
        return replicas;
    }

    private List<Replica> sorted(List<Replica> replicas) {
        List<Replica> prompt = new ArrayList<>(replicas.size());
        List<Replica> late = new ArrayList<>();
        replicas.forEach(replica -> (isLate(replica) ? late : prompt).add(replica));
        prompt.addAll(late);
        return prompt;
    }

    private boolean isLate(Replica replica) {
        CircuitBreaker breaker = promptness.get(replica);
        return breaker != null && breaker.isRejecting();
    }

    /** A replica is asked: now and then this is the one that tries whether it is prompt again. */
    void asked(Replica replica) {
        promptness(replica).tryEnter();
    }

    /**
     * @param isPrompt whether the read was still waiting for it
     */
    void answered(Replica replica, boolean isPrompt, long latencyNanos) {
        latency.record(latencyNanos);
        if (isPrompt) {
            promptness(replica).succeeded();
        }
    }

    /** A read doesn't wait for it any longer. */
    void late(Replica replica) {
        promptness(replica).failed();
    }

    private CircuitBreaker promptness(Replica replica) {
        CircuitBreaker known = promptness.get(replica);
        return known != null
                ? known
                : promptness.computeIfAbsent(
                        replica,
                        _ ->
                                new CircuitBreaker(
                                        LATE_MAX, LATE_PAUSE, PROBE_TIMEOUT, System::nanoTime));
    }

    /** Reads that asked one more replica. */
    public long hedgedCount() {
        return hedged.sum();
    }

    /** Reads that would have, beyond the share of reads that may. */
    public long deniedCount() {
        return denied.sum();
    }

    /** How long a read waits at present. */
    public double delaySeconds() {
        return latency.nanos() / 1e9;
    }
}
