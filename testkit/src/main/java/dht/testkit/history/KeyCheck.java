package dht.testkit.history;

import dht.testkit.history.Operation.Kind;
import dht.testkit.history.Operation.Outcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The check of one key as a regular register.
 *
 * <p>Write x must come before write y if x was acknowledged before y began, or before a read began
 * that returned y: if x.end &lt; y.newestAt, the later of those moments. An order exists if these
 * conditions contain no cycle. If there is a cycle, there is also a cycle of two writes. Proof: in
 * a cycle, let y be the write with the greatest newestAt, and z the next write, so y must come
 * before z. Every write of the cycle ends before the newestAt of its successor, hence before that
 * of y. So z must also come before y. It is therefore enough to search for two acknowledged writes,
 * each of which ended before the newestAt of the other: these are the conflicting zones of Gibbons
 * and Korach, "Testing shared memories", SIAM J. Comput. 26, 1997, adapted to regular registers.
 *
 * <p>For one thread.
 */
final class KeyCheck {
    private final List<Operation> reads = new ArrayList<>();
    private final List<SeenWrite> acknowledged = new ArrayList<>();
    private final Map<String, SeenWrite> byValue = new HashMap<>();
    private final Map<String, Operation> refused = new HashMap<>();

    /**
     * For each start of a deletion: of the deletions that began until then, the one that ended
     * last.
     */
    private final NavigableMap<Long, SeenWrite> lastDeletion = new TreeMap<>();

    private final Map<Operation, SeenWrite> returned = new IdentityHashMap<>();
    private final SeenWrite nothing = SeenWrite.nothing();

    KeyCheck(List<Operation> operations) {
        acknowledged.add(nothing);
        operations.stream()
                .sorted(Comparator.comparingLong(Operation::startNanos))
                .forEach(this::add);
        acknowledged.sort(Comparator.comparingLong(SeenWrite::endNanos));
    }

    private void add(Operation operation) {
        if (!operation.isWrite()) {
            if (operation.outcome() == Outcome.OK) {
                reads.add(operation);
            }
            return;
        }
        if (operation.outcome() == Outcome.FAILED) {
            refused.put(operation.value(), operation); // The null of a deletion is never looked up.
            return;
        }
        var write = SeenWrite.of(operation);
        if (write.isAcknowledged()) {
            acknowledged.add(write);
        }
        if (operation.kind() == Kind.DELETE) {
            addDeletion(write);
        } else if (byValue.put(operation.value(), write) != null) {
            throw new IllegalArgumentException(
                    "key=%s value=%s: written twice".formatted(operation.key(), operation.value()));
        }
    }

    private void addDeletion(SeenWrite deletion) {
        var before = lastDeletion.lastEntry();
        if (before == null || before.getValue().endNanos() < deletion.endNanos()) {
            lastDeletion.put(deletion.startNanos(), deletion);
        }
    }

    Optional<Violation> firstViolation() {
        for (var read : reads) {
            var fault = read.value() == null ? attachToDeletion(read) : attachToPut(read);
            if (fault.isPresent()) {
                return fault;
            }
        }
        return conflict();
    }

    private Optional<Violation> attachToPut(Operation read) {
        var write = byValue.get(read.value());
        if (write == null) {
            var ghost = refused.get(read.value());
            return Optional.of(
                    ghost == null
                            ? Violation.of(Rule.THIN_AIR, read)
                            : Violation.of(Rule.REFUSED, ghost, read));
        }
        if (write.startNanos() > read.endNanos()) {
            return Optional.of(Violation.of(Rule.FROM_THE_FUTURE, write.operation(), read));
        }
        attach(read, write);
        return Optional.empty();
    }

    /**
     * Assigns a read of nothing to a deletion. If it began before the first acknowledged write, it
     * proves nothing. Otherwise it is assigned to the deletion that ended last, of those that had
     * begun: it explains all that another one could.
     */
    private Optional<Violation> attachToDeletion(Operation read) {
        var isBeforeAll =
                acknowledged.size() == 1 || acknowledged.get(1).endNanos() >= read.startNanos();
        if (!isBeforeAll) {
            var deletion = lastDeletion.floorEntry(read.endNanos());
            attach(read, deletion == null ? nothing : deletion.getValue());
        }
        return Optional.empty();
    }

    private void attach(Operation read, SeenWrite write) {
        write.seenBy(read);
        returned.put(read, write);
    }

    /**
     * Finds two writes, each of which must come before the other. Visits the writes in the order of
     * their ends. Of the visited writes that are still newest at a later moment, only the one that
     * ended first must be compared.
     */
    private Optional<Violation> conflict() {
        var oldest = 0;
        for (var i = 0; i < acknowledged.size(); i++) {
            var later = acknowledged.get(i);
            while (oldest < i && acknowledged.get(oldest).newestAtNanos() <= later.endNanos()) {
                oldest++;
            }
            var earlier = acknowledged.get(oldest);
            if (oldest < i && earlier.endNanos() < later.newestAtNanos()) {
                return Optional.of(violation(earlier, later));
            }
        }
        return Optional.empty();
    }

    /**
     * The violation: a read returned the earlier write, but began after the later write had ended.
     */
    private Violation violation(SeenWrite earlier, SeenWrite later) {
        var evidence = new ArrayList<Operation>();
        if (!earlier.isNothing()) {
            evidence.add(earlier.operation());
        }
        evidence.add(later.operation());
        evidence.add(firstReadOf(earlier, later.endNanos()));
        if (earlier.endNanos() < later.startNanos()) {
            var isUndone = later.operation().kind() == Kind.DELETE;
            return new Violation(isUndone ? Rule.UNDELETED : Rule.LOST, evidence);
        }
        evidence.add(firstReadOf(later, earlier.endNanos()));
        return new Violation(Rule.ONE_ORDER, evidence);
    }

    private Operation firstReadOf(SeenWrite write, long afterNanos) {
        return reads.stream()
                .filter(read -> read.startNanos() > afterNanos && returned.get(read) == write)
                .findFirst()
                .orElseThrow();
    }
}
