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
 * <p>Not checked: reads among each other. Of two reads, one after the other, during a write, the
 * first may return the new value and the second the old one, since no read repairs before it
 * answers. Nor is anything across keys.
 *
 * <p>Record only what was asked with a quorum. A write with less belongs into the history as one of
 * unknown outcome, a read with less not at all.
 *
 * <p>Takes n log n time for n operations on a key. Stateless.
 */
public final class HistoryCheck {
    private HistoryCheck() {}

    /**
     * @throws IllegalArgumentException if two puts to one key wrote the same value: a read could
     *     not tell them apart
     */
    public static Verdict judge(Collection<Operation> history) {
        var byKey =
                history.stream()
                        .collect(
                                Collectors.groupingBy(
                                        Operation::key, TreeMap::new, Collectors.toList()));
        List<Violation> violations =
                byKey.values().stream()
                        .map(operations -> new KeyCheck(operations).firstViolation())
                        .flatMap(Optional::stream)
                        .toList();
        var originNanos = history.stream().mapToLong(Operation::startNanos).min().orElse(0);
        return new Verdict(history.size(), byKey.size(), violations, originNanos);
    }
}
