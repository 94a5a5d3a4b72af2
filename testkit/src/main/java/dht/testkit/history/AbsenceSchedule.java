package dht.testkit.history;

import dht.testkit.history.Operation.Outcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Finds a moment for each deletion of a key and for each read that found nothing. At the moment of
 * such a read, the key must have no value, so a deletion must come before it. All these moments are
 * outside the forward zones of the puts.
 *
 * <p>The search goes through time once. An operation that fits the present state of the key happens
 * at once, because that changes nothing. Every other operation waits until its deadline:
 *
 * <ul>
 *   <li>A read of nothing, while the key has a value: now a deletion must happen. Each deletion
 *       that has begun is possible. The one with the earliest deadline is used, because the others
 *       can still be used later.
 *   <li>A put whose value is not read later (a backward zone), while the key has no value: it
 *       happens now, and the key has a value that is not read. It has waited because it has no
 *       effect if it happens just before a deletion or another put.
 *   <li>An acknowledged deletion: it happens at its deadline.
 * </ul>
 *
 * <p>The state "no value" is never worse than "a value that is not read": a waiting put can change
 * the first into the second at any time. So waiting excludes no solution, and the search is exact.
 *
 * <p>For one thread.
 */
final class AbsenceSchedule {
    /**
     * The order of steps that happen at the same time. Of all orders, it allows the most histories.
     */
    private enum Step {
        START,
        DELETION_DEADLINE,
        READ_DEADLINE,
        PUT_DEADLINE,
        ZONE_START
    }

    private record Event(long nanos, Step step, Runnable action) {}

    /** An operation, or a put with its reads, that must happen at one moment. */
    private record Item(long deadlineNanos, Set<Operation> operations, PutZone put) {}

    private final ForwardZones zones;
    private final List<Event> events = new ArrayList<>();

    private PutZone value; // Null while the key has no value.
    private final Set<Item> waitingReads = new HashSet<>(); // Empty while the key has no value.
    private final Set<Item> waitingPuts = new HashSet<>(); // Empty while nobody reads the value.
    private final PriorityQueue<Item> deletions =
            new PriorityQueue<>(Comparator.comparingLong(Item::deadlineNanos));
    private Violation violation; // Null if everything could be explained so far.

    AbsenceSchedule(ForwardZones zones) {
        this.zones = zones;
        for (var zone : zones.all()) {
            at(zone.firstEndNanos(), Step.ZONE_START, () -> put(zone));
        }
    }

    /** Adds a backward zone. */
    void addPut(PutZone put) {
        add(
                put.lastStartNanos(),
                new Item(put.firstEndNanos(), put.evidence(), put),
                this::startPut,
                Step.PUT_DEADLINE,
                this::endPut);
    }

    /** If its outcome is unknown, it may happen at any time after its start, or never. */
    void addDeletion(Operation deletion) {
        var isDone = deletion.outcome() == Outcome.OK;
        var deadlineNanos = isDone ? deletion.endNanos() : Long.MAX_VALUE;
        add(
                deletion.startNanos(),
                new Item(deadlineNanos, Set.of(deletion), null),
                deletions::add,
                Step.DELETION_DEADLINE,
                this::endDeletion);
    }

    void addRead(Operation read) {
        add(
                read.startNanos(),
                new Item(read.endNanos(), Set.of(read), null),
                this::startRead,
                Step.READ_DEADLINE,
                this::endRead);
    }

    private void add(
            long startNanos, Item item, Consumer<Item> start, Step deadline, Consumer<Item> end) {
        var first = zones.firstFrom(startNanos);
        var last = zones.lastUntil(item.deadlineNanos());
        if (first > last) {
            violation = zones.violationAt(startNanos, item.operations());
            return;
        }
        var moved = new Item(last, item.operations(), item.put());
        at(first, Step.START, () -> start.accept(moved));
        if (last < Long.MAX_VALUE) {
            at(last, deadline, () -> end.accept(moved));
        }
    }

    private void at(long nanos, Step step, Runnable action) {
        events.add(new Event(nanos, step, action));
    }

    Optional<Violation> firstViolation() {
        events.sort(Comparator.comparingLong(Event::nanos).thenComparing(Event::step));
        for (var event : events) {
            if (violation == null) {
                event.action().run();
            }
        }
        return Optional.ofNullable(violation);
    }

    /** A put happens. All waiting puts happen just before it: their values are not read. */
    private void put(PutZone zone) {
        value = zone;
        waitingPuts.clear();
    }

    private void startPut(Item put) {
        if (value == null) {
            waitingPuts.add(put);
        }
    }

    private void endPut(Item put) {
        if (waitingPuts.contains(put)) {
            put(put.put());
        }
    }

    private void startRead(Item read) {
        if (value != null) {
            waitingReads.add(read);
        }
    }

    private void endRead(Item read) {
        if (!waitingReads.contains(read)) {
            return;
        }
        if (deletions.isEmpty()) {
            violation = ForwardZones.violation(value, read.operations());
        } else {
            delete();
        }
    }

    private void endDeletion(Item deletion) {
        var next = deletions.peek(); // If several have the same deadline, any one can be taken.
        if (next != null && next.deadlineNanos() == deletion.deadlineNanos()) {
            delete();
        }
    }

    /**
     * A deletion happens. All waiting puts happen just before it, all waiting reads just after it.
     */
    private void delete() {
        deletions.poll();
        value = null;
        waitingPuts.clear();
        waitingReads.clear();
    }
}
