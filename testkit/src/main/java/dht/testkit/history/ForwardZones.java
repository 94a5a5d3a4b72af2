package dht.testkit.history;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The times at which the reads of a key show which value it has. Nothing else can happen inside a
 * forward zone: what could is moved to its edges.
 *
 * <p>For one thread.
 */
final class ForwardZones {
    private final NavigableMap<Long, PutZone> byFirstEnd = new TreeMap<>();
    private Violation overlap; // Null if there is none.

    ForwardZones(Collection<PutZone> zones) {
        zones.stream()
                .filter(PutZone::isForward)
                .sorted(Comparator.comparingLong(PutZone::firstEndNanos))
                .forEach(this::add);
    }

    private void add(PutZone zone) {
        var last = byFirstEnd.lastEntry();
        if (overlap == null
                && last != null
                && zone.firstEndNanos() < last.getValue().lastStartNanos()) {
            overlap = violation(last.getValue(), zone.evidence());
        }
        byFirstEnd.put(zone.firstEndNanos(), zone);
    }

    /** Two values, of which each was read between two moments when the key had the other one. */
    Optional<Violation> overlap() {
        return Optional.ofNullable(overlap);
    }

    Collection<PutZone> all() {
        return byFirstEnd.values();
    }

    /** The first moment from a start on that is not inside a zone. */
    long firstFrom(long startNanos) {
        var zone = zoneAround(startNanos);
        return zone == null ? startNanos : zone.lastStartNanos();
    }

    /** The last moment until an end that is not inside a zone. */
    long lastUntil(long endNanos) {
        var zone = zoneAround(endNanos);
        return zone == null ? endNanos : zone.firstEndNanos();
    }

    /** What is wrong with an operation, or a put with its reads, that begins and ends in a zone. */
    Violation violationAt(long nanos, Set<Operation> inside) {
        return violation(zoneAround(nanos), inside);
    }

    /** Null if this moment is not inside a zone. */
    private PutZone zoneAround(long nanos) {
        var before = byFirstEnd.lowerEntry(nanos);
        return before != null && nanos < before.getValue().lastStartNanos()
                ? before.getValue()
                : null;
    }

    static Violation violation(PutZone zone, Set<Operation> others) {
        var evidence = new LinkedHashSet<>(zone.evidence());
        evidence.addAll(others);
        return new Violation(Rule.ONE_MOMENT, List.copyOf(evidence));
    }
}
