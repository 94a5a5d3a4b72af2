package dht.replication.async;

import dht.http.EventCounter;
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

/**
 * Decides when a read asks one more replica than it needs: when an answer takes longer than most
 * recent answers. See "hedged requests" in J. Dean and L. A. Barroso, "The Tail at Scale", CACM
 * 56(2), 2013.
 *
 * <p>Hedges are limited to a share of all reads. Without a limit, a cluster in which all nodes are
 * slow would have to do twice the work. A single slow replica must not use up this limit: if it
 * fails or is overdue a few times in a row, it is asked last for some time.
 *
 * <p>Thread-safe.
 */
public final class Hedges {
    /**
     * The shortest delay of a hedge. Waiting for a shorter time costs less than asking another
     * replica.
     */
    private static final Duration DELAY_MIN = Duration.ofMillis(1);

    /** The longest delay of a hedge. */
    private static final Duration DELAY_MAX = Duration.ofMillis(100);

    private static final long LOOK_PAUSE_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(5);

    /** One hedge is allowed per this many reads. */
    private static final int READS_PER_HEDGE = 10;

    /** At most this many hedges can be saved up from earlier reads. */
    private static final int HEDGES_SAVED_MAX = 64;

    private static final int SLOW_MAX = 3;
    private static final Duration SLOW_PAUSE = Duration.ofMillis(500);
    private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(1);

    private final LatencyPercentile latency;
    private final TimeoutQueue waiting;
    private final AtomicInteger allowance =
            new AtomicInteger(HEDGES_SAVED_MAX * READS_PER_HEDGE); // Counted in reads.
    private final Map<Replica, CircuitBreaker> promptness = new ConcurrentHashMap<>();
    private final EventCounter hedged = new EventCounter();
    private final EventCounter denied = new EventCounter();

    /**
     * @param percentile a read is hedged when an answer takes longer than this percentile of recent
     *     latencies; greater than 0 and less than 100
     * @param timeoutThread the thread that runs hedges
     */
    public Hedges(double percentile, TimeoutThread timeoutThread) {
        this.latency =
                new LatencyPercentile(percentile / 100, DELAY_MIN.toNanos(), DELAY_MAX.toNanos());
        this.waiting = timeoutThread.queue(DELAY_MAX.toNanos(), LOOK_PAUSE_NANOS_MAX);
    }

    /** Starts the timer of a read that has asked as many replicas as it needs. */
    void watch(TimeoutQueue.Timeout read) {
        waiting.add(read, latency.nanos());
    }

    /** Called when a read begins. */
    void begin() {
        if (allowance.get() < HEDGES_SAVED_MAX * READS_PER_HEDGE) {
            allowance.incrementAndGet();
        }
    }

    /** Whether a read may ask one more replica. If so, takes one hedge from the limit. */
    boolean tryHedge() {
        if (allowance.addAndGet(-READS_PER_HEDGE) >= 0) {
            hedged.increment();
            return true;
        }
        allowance.addAndGet(READS_PER_HEDGE);
        denied.increment();
        return false;
    }

    /**
     * The same replicas, with those at the end that were recently slow. The list itself is not
     * changed.
     */
    List<Replica> inOrder(List<Replica> replicas) {
        for (Replica replica : replicas) {
            if (isSlow(replica)) {
                return sorted(replicas);
            }
        }
        return replicas;
    }

    private List<Replica> sorted(List<Replica> replicas) {
        List<Replica> prompt = new ArrayList<>(replicas.size());
        List<Replica> slow = new ArrayList<>();
        replicas.forEach(replica -> (isSlow(replica) ? slow : prompt).add(replica));
        prompt.addAll(slow);
        return prompt;
    }

    private boolean isSlow(Replica replica) {
        CircuitBreaker breaker = promptness.get(replica);
        return breaker != null && breaker.isRejecting();
    }

    /**
     * Called when a replica is asked. From time to time, such a request is the probe that checks
     * whether a slow replica is prompt again.
     */
    void asked(Replica replica) {
        promptness(replica).tryEnter();
    }

    /**
     * @param isPrompt whether the read was still waiting for this answer
     */
    void answered(Replica replica, boolean isPrompt, long latencyNanos) {
        latency.record(latencyNanos);
        if (isPrompt) {
            promptness(replica).succeeded();
        }
    }

    /** Called when a replica's answer is overdue, or when the replica has failed. */
    void overdue(Replica replica) {
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
                                        SLOW_MAX, SLOW_PAUSE, PROBE_TIMEOUT, System::nanoTime));
    }

    /** How many times a read asked one more replica. */
    public long hedgedCount() {
        return hedged.sum();
    }

    /**
     * How many times a read did not ask one more replica, because the limit was used up. A read
     * that goes on waiting is counted again after each further delay.
     */
    public long deniedCount() {
        return denied.sum();
    }

    /** How long a read waits now before it is hedged. */
    public double delaySeconds() {
        return latency.nanos() / 1e9;
    }
}
