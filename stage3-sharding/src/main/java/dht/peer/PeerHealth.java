package dht.peer;

import dht.cluster.NodeAddress;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerAnswer.CircuitOpen;
import dht.peer.PeerAnswer.NoMemory;
import dht.peer.PeerAnswer.OwnFailure;
import dht.peer.PeerAnswer.QueueFull;
import dht.peer.PeerAnswer.TimedOut;
import dht.peer.PeerAnswer.TooLarge;
import dht.peer.PeerAnswer.Unreachable;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The health of one node: counts of outcomes, and the circuit breaker, which decides whether the
 * next request may be sent. Logs one line when the node stops answering and one when it answers
 * again.
 *
 * <p>Thread-safe.
 */
public final class PeerHealth {
    private static final Logger LOG = LoggerFactory.getLogger(PeerHealth.class);

    private final NodeAddress address;
    private final long retryPauseMillis;
    private final CircuitBreaker breaker;
    private final PeerCounts counts = new PeerCounts();

    /** The answer while the breaker rejects requests: it says how the last request failed. */
    private volatile PeerAnswer circuitOpen = new CircuitOpen(new Unreachable("not asked yet"));

    /**
     * The time at which the newest answered message was sent. Racy on purpose: an approximate time
     * is enough.
     */
    private volatile long answeredSentNanos;

    public PeerHealth(NodeAddress address, PeerOptions options) {
        this(address, options, System::nanoTime);
    }

    /**
     * @param nanoClock such as {@link System#nanoTime}
     */
    PeerHealth(NodeAddress address, PeerOptions options, LongSupplier nanoClock) {
        this.address = address;
        this.retryPauseMillis = options.retryPause().toMillis();
        this.breaker =
                new CircuitBreaker(
                        options.failuresMax(),
                        options.retryPause(),
                        options.connectTimeout().plus(options.requestTimeout()),
                        nanoClock);
        this.answeredSentNanos = System.nanoTime();
    }

    /** The node's URL. */
    @Override
    public String toString() {
        return address.toString();
    }

    /** Whether {@link #tryEnter} would return false now. */
    public boolean isRejecting() {
        return breaker.isRejecting();
    }

    /** Whether the outcome that the circuit breaker counted last is a failure. */
    public boolean isFailing() {
        return breaker.isFailing();
    }

    /**
     * Whether a request may be sent. If true, the caller must later report the outcome of the
     * request to {@link #countOutcome}, and the outcome of the message that contains it to {@link
     * #updateBreaker}. The latter may be left out if nothing was learned about the node: a probe
     * without an outcome counts as failed when its time is over.
     */
    public boolean tryEnter() {
        return breaker.tryEnter();
    }

    /** Counts a request that is not sent because the breaker rejects it, and returns its answer. */
    public PeerAnswer rejectCircuitOpen() {
        counts.refused();
        return circuitOpen;
    }

    /** Counts a request that is not sent because the queue is full, and returns its answer. */
    public PeerAnswer rejectQueueFull() {
        counts.busy();
        return QueueFull.INSTANCE;
    }

    /** Counts the outcome of a request that {@link #tryEnter} allowed. */
    public void countOutcome(PeerAnswer answer) {
        switch (answer) {
            case Answered _, TooLarge _ -> counts.answered();
            case QueueFull _, NoMemory _, OwnFailure _ -> counts.busy();
            case Unreachable _ -> counts.unreachable();
            case TimedOut _, CircuitOpen _ -> counts.silent();
        }
    }

    /**
     * Updates the circuit breaker with the outcome of one message. A message may have contained
     * several requests. A failure is ignored if the node has already answered a message that was
     * sent later. {@code NoMemory} and {@code OwnFailure} are ignored, too.
     *
     * @param sentNanos when the message was sent, by {@link System#nanoTime}
     */
    public void updateBreaker(PeerAnswer answer, long sentNanos) {
        switch (answer) {
            case Answered _, TooLarge _, QueueFull _ -> noteAnswer(sentNanos);
            case NoMemory _, OwnFailure _ -> {} // The node may be healthy or not.
            case Unreachable _, TimedOut _, CircuitOpen _ -> noteFailure(answer, sentNanos);
        }
    }

    private void noteAnswer(long sentNanos) {
        if (sentNanos - answeredSentNanos > 0) {
            answeredSentNanos = sentNanos;
        }
        if (breaker.succeeded()) {
            LOG.info("node {} answers again", address);
        }
    }

    private void noteFailure(PeerAnswer answer, long sentNanos) {
        if (sentNanos - answeredSentNanos < 0) {
            return;
        }
        try {
            // Set before the breaker opens, because each rejected request gets this answer.
            circuitOpen = new CircuitOpen(answer);
        } catch (OutOfMemoryError e) { // Rejected requests get the answer of an older failure.
            LOG.debug("no memory to say how a node failed");
        }
        if (breaker.failed()) {
            logOpened(answer);
        }
    }

    private void logOpened(PeerAnswer answer) {
        try {
            LOG.warn(
                    "node {} {}: requests to it fail at once; after {} ms, one request tests whether it answers",
                    address,
                    answer.description(),
                    retryPauseMillis);
        } catch (OutOfMemoryError e) {
            LOG.debug("no memory to log that a node failed");
        }
    }

    /** The outcomes of all requests until now. */
    public PeerCounts counts() {
        return counts;
    }

    public CircuitBreaker.State breakerState() {
        return breaker.state();
    }
}
