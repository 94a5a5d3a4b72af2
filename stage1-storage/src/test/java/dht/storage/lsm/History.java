package dht.storage.lsm;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The writes of one thread, in order, and how many of them were acknowledged and flushed. Not
 * thread-safe.
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

    private final List<Write> writes = new ArrayList<>();
    private int acknowledged;
    private int flushed;

    void begin(Write write) {
        writes.add(write);
    }

    void acknowledge() {
        acknowledged = writes.size();
    }

    void flush() {
        flushed = acknowledged;
    }

    /** The storage has said that it could keep no more than what was flushed. */
    void loseUnflushed() {
        acknowledged = flushed;
    }

    int begun() {
        return writes.size();
    }

    int acknowledged() {
        return acknowledged;
    }

    int flushed() {
        return flushed;
    }

    List<Write> writes() {
        return writes;
    }

    /** The live entries after the first {@code count} writes, each as {@code key=value@stamp}. */
    List<String> stateAfter(int count) {
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
