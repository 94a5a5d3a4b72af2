package dht.peer;

import dht.http.EntityRequest;

/** A request on its way to another node, and who waits for what becomes of it. Thread-safe. */
abstract class PeerCall {
    private final EntityRequest request;
    private final long timestampMicros;
    private final long sinceNanos = System.nanoTime();

    /**
     * @param timestampMicros the stamp of the version to be written, or 0: then the node stamps it
     */
    PeerCall(EntityRequest request, long timestampMicros) {
        this.request = request;
        this.timestampMicros = timestampMicros;
    }

    EntityRequest request() {
        return request;
    }

    /** 0 if the node stamps it. */
    long timestampMicros() {
        return timestampMicros;
    }

    /**
     * Whether the node may do it twice. A write that it stamps itself it may not: done again, it
     * would be newer than what others have written in between.
     */
    boolean isRepeatable() {
        return request instanceof EntityRequest.Get || timestampMicros > 0;
    }

    /** How long it has been waiting. */
    long ageNanos(long nowNanos) {
        return nowNanos - sinceNanos;
    }

    /**
     * Whether the node is to be asked at all. After yes comes {@link #end}, after no {@link
     * #failFast}. Doesn't block, and calls nobody.
     */
    abstract boolean tryBegin();

    /** It is not asked. */
    abstract void failFast();

    /** There was no room for it. Comes without {@link #tryBegin}. */
    abstract void refuse();

    /** It has waited for too long. Comes without {@link #tryBegin}. */
    abstract void expire();

    /**
     * Takes what became of it; must not throw.
     *
     * @param sentNanos when its latest sending began, by {@link System#nanoTime}
     */
    abstract void end(PeerAnswer answer, long sentNanos);
}
