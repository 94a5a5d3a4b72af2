package dht.testkit.history;

import dht.testkit.history.Operation.Kind;
import dht.testkit.history.Operation.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The check of one key as an atomic register: whether each operation can have happened at one
 * moment between its start and its end.
 *
 * <p>Each value is written once, so it is known which reads belong to a put. Gibbons and Korach
 * have shown that such operations have moments exactly if no two forward zones overlap, and no
 * backward zone lies inside a forward one. A read that found nothing belongs to any deletion, or to
 * the beginning. {@link AbsenceSchedule} finds moments for these reads and for deletions.
 *
 * <p>A put with unknown outcome is ignored if no read returned its value: it may not have happened.
 *
 * <p>For one thread.
 */
final class AtomicCheck {
    private final List<Operation> operations;
    private final Map<String, PutZone> byValue = new HashMap<>();
    private final List<Operation> deletions = new ArrayList<>();
    private final List<Operation> readsOfNothing = new ArrayList<>();

    AtomicCheck(List<Operation> operations) {
        this.operations = operations;
    }

    Optional<Violation> firstViolation() {
        // A history that violates the rules of a regular register also violates those of an atomic
        // one.
        var regular = new KeyCheck(operations).firstViolation();
        return regular.isPresent() ? regular : violationOfMoments();
    }

    private Optional<Violation> violationOfMoments() {
        operations.stream().filter(Operation::isWrite).forEach(this::addWrite);
        operations.stream()
                .filter(operation -> !operation.isWrite() && operation.outcome() == Outcome.OK)
                .forEach(this::addRead);
        var zones = byValue.values().stream().filter(PutZone::hasHappened).toList();
        var forward = new ForwardZones(zones);
        if (forward.overlap().isPresent()) {
            return forward.overlap();
        }
        var schedule = new AbsenceSchedule(forward);
        zones.stream().filter(zone -> !zone.isForward()).forEach(schedule::addPut);
        deletions.forEach(schedule::addDeletion);
        readsOfNothing.forEach(schedule::addRead);
        return schedule.firstViolation();
    }

    private void addWrite(Operation write) {
        if (write.outcome() == Outcome.FAILED) {
            return;
        }
        if (write.kind() == Kind.DELETE) {
            deletions.add(write);
        } else {
            byValue.put(write.value(), new PutZone(write));
        }
    }

    private void addRead(Operation read) {
        if (read.value() == null) {
            readsOfNothing.add(read);
        } else {
            byValue.get(read.value()).addRead(read);
        }
    }
}
