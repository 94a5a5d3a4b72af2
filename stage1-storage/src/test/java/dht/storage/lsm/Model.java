package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * The answers that an engine must give, computed from a sorted map.
 *
 * <p>Once a tombstone is older than the grace period, a compaction may have removed it or not. A
 * write with an older stamp may then bring the key back, or not. So the model keeps for each key
 * every version that may be the newest, and learns from the engine's answers which one it is.
 */
final class Model {
    static final long START_MILLIS = 50;

    /**
     * A version that may be the newest of its key.
     *
     * @param mayBeGone whether it is a tombstone that was older than the grace at any time
     */
    record Candidate(Step.Write write, boolean mayBeGone) {
        private Candidate at(long nowMicros, long graceMicros) {
            boolean isOld = write.timestampMicros() + graceMicros <= nowMicros;
            return new Candidate(write, mayBeGone || write.value() == null && isOld);
        }

        private boolean winsOver(Step.Write other) {
            if (write.timestampMicros() != other.timestampMicros()) {
                return write.timestampMicros() > other.timestampMicros();
            }
            if (write.value() == null || other.value() == null) {
                return write.value() == null;
            }
            return write.value().compareTo(other.value()) >= 0;
        }

        /** As {@link dht.storage.TextDao} says it. */
        String text() {
            return (write.value() == null ? "deleted" : write.value())
                    + "@"
                    + write.timestampMicros();
        }
    }

    /** What some keys are, at one moment. */
    private final NavigableMap<String, Set<Candidate>> keys;

    private final long graceMicros;
    private long nowMicros = 1000 * START_MILLIS;
    private long greatestTimestampMicros;

    Model(long graceMicros) {
        this(graceMicros, new TreeMap<>());
    }

    private Model(long graceMicros, NavigableMap<String, Set<Candidate>> keys) {
        this.graceMicros = graceMicros;
        this.keys = keys;
    }

    void time(long millis) {
        nowMicros = 1000 * millis;
        keys.replaceAll((_, candidates) -> aged(candidates));
    }

    private Set<Candidate> aged(Set<Candidate> candidates) {
        Set<Candidate> aged = new LinkedHashSet<>();
        candidates.forEach(it -> aged.add(it.at(nowMicros, graceMicros)));
        return aged;
    }

    void write(Step.Write write) {
        greatestTimestampMicros = Math.max(greatestTimestampMicros, write.timestampMicros());
        Candidate late = new Candidate(write, false);
        Set<Candidate> next = new LinkedHashSet<>();
        for (Candidate former : keys.getOrDefault(write.key(), Set.of(late))) {
            boolean isOnTop = former.winsOver(write);
            if (isOnTop) {
                next.add(former);
            }
            if (!isOnTop || former.mayBeGone()) {
                next.add(late);
            }
        }
        keys.put(write.key(), aged(next));
    }

    /** Those that were ever written. */
    Set<String> keys() {
        return keys.keySet();
    }

    long greatestTimestampMicros() {
        return greatestTimestampMicros;
    }

    void checkGet(String key, String found) {
        Set<Candidate> candidates = keys.getOrDefault(key, Set.of());
        checkOne(key, candidates, found);
        if (!candidates.isEmpty()) {
            learn(key, found);
        }
    }

    private static void checkOne(String key, Set<Candidate> candidates, String found) {
        List<String> right = new ArrayList<>();
        for (Candidate candidate : candidates) {
            right.add(candidate.text());
            if (candidate.mayBeGone()) {
                right.add("absent");
            }
        }
        if (candidates.isEmpty()) {
            right.add("absent");
        }
        if (!right.contains(found)) {
            throw new AssertionError(
                    "%s is %s, and should be %s"
                            .formatted(
                                    Step.quote(key),
                                    Step.quote(found),
                                    right.stream().map(Step::quote).toList()));
        }
    }

    private void learn(String key, String found) {
        Set<Candidate> left = new LinkedHashSet<>(keys.get(key));
        left.removeIf(it -> found.equals("absent") ? !it.mayBeGone() : !it.text().equals(found));
        keys.put(key, left);
    }

    /** As of now, for a cursor that is opened now. */
    Model between(String from, String to) {
        NavigableMap<String, Set<Candidate>> copy = new TreeMap<>(keys);
        copy.keySet()
                .removeIf(
                        key ->
                                from != null && key.compareTo(from) < 0
                                        || to != null && key.compareTo(to) >= 0);
        return new Model(graceMicros, copy);
    }

    /**
     * Checks all that a cursor has shown, key by key.
     *
     * @param found what each key is, in the order in which it was found
     */
    void checkRange(Map<String, String> found) {
        assertThat(List.copyOf(found.keySet())).as("keys of a cursor").isSorted();
        assertThat(keys.keySet()).as("keys that a cursor may show").containsAll(found.keySet());
        keys.forEach(
                (key, candidates) -> checkOne(key, candidates, found.getOrDefault(key, "absent")));
    }
}
