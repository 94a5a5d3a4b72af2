package dht.repair;

import dht.peer.PeerCounts;
import dht.peer.RemoteNode;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The schedule of this node's comparisons with one other node, and the outcome of the last one.
 *
 * <p>A comparison is due when this node starts, at intervals, and on demand. It is also due in two
 * other cases. The other node has not answered a request, so it may have missed a write. Or this
 * node has lost a write or a hint.
 *
 * <p>Not thread-safe: the {@link ComparisonQueue} guards it.
 */
final class ComparisonTurn {
    /**
     * After a comparison, failed requests make the next one due only after a pause of at least this
     * length.
     */
    private static final long PAUSE_NANOS_MIN = TimeUnit.SECONDS.toNanos(5);

    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private enum State {
        NONE,
        WAITING,
        COMPARING,
        DONE,
        FAILED
    }

    private final RemoteNode peer;
    private final long intervalNanos; // 0: only on demand.
    private final boolean isLeader;
    private final LongSupplier lostHere;
    private State state = State.NONE;
    private String result = "";
    private boolean isAsked;
    private boolean isScheduled;
    private long dueNanos;
    private long restedNanos;
    private long startNanos;
    private long missedSeen;
    private long missedAtStart;

    /**
     * @param intervalNanos the time between two comparisons; 0: compares only on demand
     * @param isLeader whether this node, and not the other one, compares at intervals
     * @param lostHere counts the writes that this node has not stored, and the writes that other
     *     nodes have missed and for which there is no hint
     */
    ComparisonTurn(
            RemoteNode peer,
            long intervalNanos,
            boolean isLeader,
            LongSupplier lostHere,
            long nowNanos) {
        this.peer = peer;
        this.intervalNanos = intervalNanos;
        this.isLeader = isLeader;
        this.lostHere = lostHere;
        this.isScheduled = intervalNanos > 0;
        this.dueNanos = nowNanos;
        this.restedNanos = nowNanos;
    }

    RemoteNode peer() {
        return peer;
    }

    void ask() {
        isAsked = true;
        if (state != State.COMPARING) {
            state = State.WAITING;
        }
    }

    boolean isDue(long nowNanos) {
        if (isAsked || (isScheduled && nowNanos - dueNanos >= 0)) {
            return true;
        }
        return intervalNanos > 0 && nowNanos - restedNanos >= 0 && missedCount() != missedSeen;
    }

    /**
     * The number of requests that the other node may not have served, plus the writes that were
     * lost here.
     */
    private long missedCount() {
        PeerCounts counts = peer.health().counts();
        return lostHere.getAsLong()
                + counts.unreachableCount()
                + counts.silentCount()
                + counts.refusedCount()
                + counts.busyCount();
    }

    void begin(long nowNanos) {
        isAsked = false;
        state = State.COMPARING;
        startNanos = nowNanos;
        missedAtStart = missedCount();
    }

    /** The comparison has ended, and all differences that it found are repaired. */
    void done(String summary, long nowNanos) {
        end(State.DONE, summary);
        missedSeen = missedAtStart;
        rest(nowNanos);
        isScheduled = intervalNanos > 0 && isLeader;
        dueNanos = nowNanos + intervalNanos;
    }

    /**
     * The comparison has failed.
     *
     * @param isWorthRetrying whether to try again after a short pause; otherwise after the interval
     */
    void failed(String summary, boolean isWorthRetrying, long nowNanos) {
        end(State.FAILED, summary);
        missedSeen = missedAtStart;
        rest(nowNanos);
        isScheduled = intervalNanos > 0;
        long pauseNanos = Math.max(RETRY_NANOS, nowNanos - startNanos);
        dueNanos = nowNanos + (isWorthRetrying ? pauseNanos : intervalNanos);
    }

    /** Sets a pause that is at least as long as the comparison took. */
    private void rest(long nowNanos) {
        restedNanos = nowNanos + Math.max(PAUSE_NANOS_MIN, nowNanos - startNanos);
    }

    private void end(State ended, String summary) {
        state = isAsked ? State.WAITING : ended;
        result = summary;
    }

    /** One line, for people and for the {@code repair} command. */
    String describe() {
        return "node=%s state=%s%s\n"
                .formatted(
                        peer.address().url(),
                        state.name().toLowerCase(Locale.ROOT),
                        result.isEmpty() ? "" : " " + result);
    }

    boolean isWaiting() {
        return state == State.WAITING || state == State.COMPARING;
    }
}
