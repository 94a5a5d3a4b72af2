package dht.peer;

import dht.cluster.NodeAddress;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerAnswer.CircuitOpen;
import dht.peer.PeerAnswer.QueueFull;
import dht.peer.PeerAnswer.TimedOut;
import dht.peer.PeerAnswer.TooLarge;
import dht.peer.PeerAnswer.Unreachable;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How requests to one node have fared, and whether the next one may be sent: counts, breaker, and a
 * line in the log when the node stops answering and when it answers again.
 *
 * <p>Thread-safe.
 */
public final class PeerHealth {
    private static final Logger LOG = LoggerFactory.getLogger(PeerHealth.class);

    private final NodeAddress address;
    private final CircuitBreaker breaker;
    private final PeerCounts counts = new PeerCounts();

    /** What to say while the breaker is shut: how the last request failed. */
    private volatile PeerAnswer rejection = new CircuitOpen(new Unreachable("not asked yet"));

    /** When the latest message was sent that was answered. Racy: then about that. */
    private volatile long answeredSentNanos;

    public PeerHealth(NodeAddress address, PeerOptions options) {
        this(address, options, System::nanoTime);
    }

    /**
     * @param nanoClock such as {@link System#nanoTime}
     */
    PeerHealth(NodeAddress address, PeerOptions options, LongSupplier nanoClock) {
        this.address = address;
        this.breaker =
                new CircuitBreaker(
                        options.failuresMax(),
                        options.retryPause(),
                        options.connectTimeout().plus(options.requestTimeout()),
                        nanoClock);
        this.answeredSentNanos = System.nanoTime();
    }

    /** Whether {@link #tryEnter} would say no now. */
    public boolean isRejecting() {
        return breaker.isRejecting();
    }

    /** Whether the node has not answered the last request. */
    public boolean isFailing() {
        return breaker.isFailing();
    }

    /**
     * Whether a request may be sent; what becomes of it must then be {@linkplain #counted counted},
     * and of the message with it {@linkplain #judged judged}.
     */
    public boolean tryEnter() {
        return breaker.tryEnter();
    }

    /** Counts a request for which the node was not asked, and says why. */
    public PeerAnswer rejected() {
        counts.refused();
        return rejection;
    }

    /** Counts a request for which there was no room; nothing of it was sent. */
    public PeerAnswer queueFull() {
        counts.busy();
        return QueueFull.INSTANCE;
    }

    /** Counts what became of a request that was let in, and gives it back. */
    public PeerAnswer counted(PeerAnswer answer) {
        switch (answer) {
            case Answered _, TooLarge _, QueueFull _ -> counts.answered();
            case Unreachable _ -> counts.unreachable();
            case TimedOut _, CircuitOpen _ -> counts.silent();
        }
        return answer;
    }

    /**
     * Judges the node by what became of a message, which may have held several requests. One that
     * failed says nothing about a node that has answered a later one.
     *
     * @param sentNanos by {@link System#nanoTime}
     */
    public void judged(PeerAnswer answer, long sentNanos) {
        switch (answer) {
            case Answered _, TooLarge _, QueueFull _ -> noteAnswer(sentNanos);
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
        boolean isNews = sentNanos - answeredSentNanos >= 0 && breaker.failed();
        try {
            rejection = new CircuitOpen(answer);
            if (isNews) {
                LOG.warn(
                        "node {} {}: from now on one request at a time tries it",
                        address,
                        answer.verdict());
            }
        } catch (OutOfMemoryError e) { // The node is judged; only the words for it are missing.
            LOG.debug("no memory to say how a node failed");
        }
    }

    /** What became of the requests so far. */
    public PeerCounts counts() {
        return counts;
    }

    public CircuitBreaker.State breakerState() {
        return breaker.state();
    }
}
