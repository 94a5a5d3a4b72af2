package dht.testkit.history;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Judges whether a history can have come from replicas that keep their word: whether, for each key,
 * all its writes can be put into one order, such that
 *
 * <ul>
 *   <li>a write which began after another one was acknowledged comes after it;
 *   <li>each read returns a write which began before the read ended, and after which comes no write
 *       that was acknowledged before the read began.
 * </ul>
 *
 * <p>This is a regular register (Lamport, "On interprocess communication", Distributed Computing 1,
 * 1986) with several writers whose writes are in the same order for all reads (Shao, Welch, Pierce
 * and Lee, "Multiwriter consistency conditions for shared memory registers", SIAM J. Comput. 40,
 * 2011), and what quorums with ack + ack &gt; from promise. The check is exact: it finds a
 * violation if there is one, and only then.
 *
 * <p>A write of unknown outcome is not known to have happened and never ends: reads may return it
 * at any time after its start, or never, by turns. A write that was refused must not be seen. A get
 * that found nothing has seen any deletion, or the beginning; it is taken to have seen the one that
 * explains most.
 *
 * <p>Of a regular register, reads are not checked among each other: of two reads during a write,
 * one after the other, the first may return the new value and the second one the old value. An
 * atomic register ("linearizable": Herlihy and Wing, ACM TOPLAS 12, 1990) does not allow that. All
 * its operations can be put into one order, such that an operation which began after another one
 * had ended comes after it, and each read returns the last write before it. A write of unknown
 * outcome is in that order at most once. {@link AtomicCheck} checks this, exactly, too.
 *
 * <p>Nothing is checked across keys.
 *
 * <p>Record only what was asked with a quorum. A write with less belongs into the history as one of
 * unknown outcome, a read with less not at all.
 *
 * <p>Takes n log n time for n operations on a key. Stateless.
 */
public final class HistoryCheck {
    private HistoryCheck() {}

    /** Judges a history of regular registers. */
    public static Verdict judge(Collection<Operation> history) {
        return judge(history, RegisterKind.REGULAR);
    }

    /**
     * @param kind what the keys promise
     * @throws IllegalArgumentException if two puts to one key wrote the same value: a read could
     *     not tell them apart
     */
    public static Verdict judge(Collection<Operation> history, RegisterKind kind) {
        var byKey =
                history.stream()
                        .collect(
                                Collectors.groupingBy(
                                        Operation::key, TreeMap::new, Collectors.toList()));
        List<Violation> violations =
                byKey.values().stream()
                        .map(operations -> firstViolation(operations, kind))
                        .flatMap(Optional::stream)
                        .toList();
        var originNanos = history.stream().mapToLong(Operation::startNanos).min().orElse(0);
        return new Verdict(history.size(), byKey.size(), violations, originNanos);
    }

    private static Optional<Violation> firstViolation(
            List<Operation> operations, RegisterKind kind) {
        return switch (kind) {
            case REGULAR -> new KeyCheck(operations).firstViolation();
            case ATOMIC -> new AtomicCheck(operations).firstViolation();
        };
    }
}
