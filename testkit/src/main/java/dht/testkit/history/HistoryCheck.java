package dht.testkit.history;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A check whether a history is possible with replicas that keep their promises. It is possible if,
 * for each key, all writes can be put into one order such that
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
 * <p>A write with unknown outcome may have happened or not, and has no known end. At any time after
 * its start, reads may return it or not. A write that was refused must not be seen. A get that
 * found nothing saw a deletion, or the state before all writes. The check assumes the deletion that
 * explains most.
 *
 * <p>For a regular register, reads are not compared with each other. If one read follows another
 * while a write is in progress, the first may return the new value and the second the old value. An
 * atomic register ("linearizable": Herlihy and Wing, ACM TOPLAS 12, 1990) does not allow that. All
 * its operations can be put into one order, such that an operation which began after another one
 * had ended comes after it, and each read returns the last write before it. A write with unknown
 * outcome is in that order at most once. {@link AtomicCheck} checks this; it is exact, too.
 *
 * <p>Keys are checked separately.
 *
 * <p>Record only requests with a quorum. Record a write with a smaller {@code ack} as one with
 * unknown outcome, and do not record such a read.
 *
 * <p>The time is O(n log n) for n operations on a key. Stateless.
 */
public final class HistoryCheck {
    private HistoryCheck() {}

    /** Checks a history of regular registers. */
    public static Verdict judge(Collection<Operation> history) {
        return judge(history, RegisterKind.REGULAR);
    }

    /**
     * Checks a history.
     *
     * @param kind the register that each key promises to be
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
