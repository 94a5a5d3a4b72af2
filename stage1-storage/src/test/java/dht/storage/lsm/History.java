package dht.storage.lsm;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The writes of one thread, in order, and how many of them were acknowledged and flushed. Another
 * thread may acknowledge them. Thread-safe.
 */
final class History {
    /**
     * @param value null for a tombstone
     */
    record Write(String key, String value, long timestampMicros) {
        private boolean winsOver(Write other) {
            if (other == null || timestampMicros != other.timestampMicros) {
                return other == null || timestampMicros > other.timestampMicros;
            }
            if (value == null || other.value == null) {
                return value == null;
            }
            return value.compareTo(other.value) > 0;
        }

        @Override
        public String toString() {
            return key + "=" + value + "@" + timestampMicros;
        }
    }

    // Guarded by this.
    private final List<Write> writes = new ArrayList<>();
    private int acknowledged;
    private int flushed;
    private boolean isOutOfOrder;

    /** Answers the number of the write; the first one is number 1. */
    synchronized int begin(Write write) {
        writes.add(write);
        return writes.size();
    }

    /** The last write, and so all before it, were acknowledged. */
    synchronized void acknowledge() {
        acknowledged = writes.size();
    }

    /** One of several writes that wait was acknowledged. It must be the next one in order. */
    synchronized void acknowledge(int number) {
        isOutOfOrder |= number != acknowledged + 1;
        acknowledged = number;
    }

    /** Checks that writes were acknowledged in order, each once. */
    synchronized void checkOrder() {
        if (isOutOfOrder) {
            throw new AssertionError("writes were not acknowledged in order, each once");
        }
    }

    synchronized void flush() {
        flushed = acknowledged;
    }

    /** The storage has said that it could keep no more than what was flushed. */
    synchronized void loseUnflushed() {
        acknowledged = flushed;
    }

    synchronized int begun() {
        return writes.size();
    }

    synchronized int acknowledged() {
        return acknowledged;
    }

    synchronized int flushed() {
        return flushed;
    }

    synchronized List<Write> writes() {
        return List.copyOf(writes);
    }

    /** The live entries after the first {@code count} writes, each as {@code key=value@stamp}. */
    synchronized List<String> stateAfter(int count) {
        Map<String, Write> newest = new TreeMap<>();
        for (Write write : writes.subList(0, count)) {
            newest.merge(write.key(), write, (old, late) -> late.winsOver(old) ? late : old);
        }
        return newest.values().stream()
                .filter(write -> write.value() != null)
                .map(Write::toString)
                .toList();
    }
}
