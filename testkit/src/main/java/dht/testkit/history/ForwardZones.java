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
 * The forward zones of one key: the intervals in which reads prove which value the key has. No
 * other operation can happen inside a zone. An operation that begins or ends inside can only happen
 * before or after the zone.
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

    /** A violation if two zones overlap: then the key must have had two values at once. */
    Optional<Violation> overlap() {
        return Optional.ofNullable(overlap);
    }

    Collection<PutZone> all() {
        return byFirstEnd.values();
    }

    /** The first moment that is not inside a zone, from {@code startNanos} on. */
    long firstFrom(long startNanos) {
        var zone = zoneAround(startNanos);
        return zone == null ? startNanos : zone.lastStartNanos();
    }

    /** The last moment that is not inside a zone, up to {@code endNanos}. */
    long lastUntil(long endNanos) {
        var zone = zoneAround(endNanos);
        return zone == null ? endNanos : zone.firstEndNanos();
    }

    /**
     * The violation by an operation, or by a put with its reads, that begins and ends inside one
     * zone.
     */
    Violation violationAt(long nanos, Set<Operation> inside) {
        return violation(zoneAround(nanos), inside);
    }

    /** The zone that contains this moment, or null. */
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
