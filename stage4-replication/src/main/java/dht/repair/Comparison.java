package dht.repair;

import dht.repair.VersionTree.Known;
import dht.repair.VersionTree.Page;
import dht.repair.VersionTree.Part;
import dht.repair.VersionTree.Verdict;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One comparison of this node with another one. Starts at the top of this node's hash tree, and
 * descends only into parts whose digests differ. At the leaves it finds the keys of which the nodes
 * have different versions, and repairs them. Then both nodes have the newer version of each key,
 * with its original stamp.
 *
 * <p>It needs little memory: the digests of one message for each level of the tree, and one page of
 * versions for each of the two nodes. Used by one thread.
 */
final class Comparison {
    /** What a comparison asks the other node. */
    interface OtherTree {
        /**
         * Compares each part with the other node's versions; returns one verdict for each part, in
         * the same order.
         */
        List<Verdict> verdicts(List<Part> parts) throws IOException, InterruptedException;

        /** Lists the other node's versions in a range, beginning at its start. */
        Page page(KeyRange range) throws IOException, InterruptedException;

        /** Whether the node answers, but cannot take more writes at the moment. */
        boolean isBehind();
    }

    /** Repairs one key on both nodes. */
    @FunctionalInterface
    interface PairRepair {
        /**
         * Returns whether both nodes have answered, and have stored what was written to them. If
         * the key has a newer value since it was listed, nothing is written. A newer tombstone is
         * written where an older version is.
         *
         * @throws IOException if repairing further keys makes no sense, because the node does not
         *     answer any more
         */
        boolean repair(Known version) throws IOException, InterruptedException;
    }

    private static final int TOP_PART_KEYS = VersionTree.FAN_OUT * VersionTree.LEAF_KEYS;
    private static final long BEHIND_PAUSE_MILLIS = 20;

    private final VersionTree own;
    private final OtherTree other;
    private final PairRepair repair;
    private final RepairRateLimiter limiter;
    private long unrepairedCount;

    Comparison(VersionTree own, OtherTree other, PairRepair repair, RepairRateLimiter limiter) {
        this.own = own;
        this.other = other;
        this.repair = repair;
        this.limiter = limiter;
    }

    /** How many keys differ and could not be repaired. */
    long unrepairedCount() {
        return unrepairedCount;
    }

    /**
     * Compares all shared versions, and repairs what differs.
     *
     * @throws IOException if the other node does not answer; keys that were repaired before stay
     *     repaired
     */
    void run() throws IOException, InterruptedException {
        compare(KeyRange.ALL, TOP_PART_KEYS);
    }

    private void compare(KeyRange range, int partKeys) throws IOException, InterruptedException {
        KeyRange rest = range;
        boolean isDone = false;
        while (!isDone) {
            List<Part> parts = own.parts(rest, partKeys, limiter::read);
            List<Verdict> verdicts = other.verdicts(parts);
            for (int i = 0; i < parts.size(); i++) {
                if (verdicts.get(i) != Verdict.SAME) {
                    descend(parts.get(i), verdicts.get(i), partKeys);
                }
            }
            byte[] to = parts.getLast().range().to();
            isDone = range.endsAt(to);
            rest = range.startingAt(to);
        }
    }

    private void descend(Part part, Verdict verdict, int partKeys)
            throws IOException, InterruptedException {
        boolean isLeaf = part.digest().count() <= VersionTree.LEAF_KEYS;
        if (isLeaf || verdict == Verdict.EMPTY) {
            repairAll(part.range());
        } else {
            compare(part.range(), partKeys / VersionTree.FAN_OUT);
        }
    }

    /**
     * Compares a range version by version. It takes one page of each node at a time, because a node
     * may have many versions in the range.
     */
    private void repairAll(KeyRange range) throws IOException, InterruptedException {
        KeyRange rest = range;
        boolean isDone = false;
        while (!isDone) {
            Page theirs = other.page(rest);
            if (!rest.isContinuedAt(theirs.to())) { // Unchecked, the comparison could run for ever.
                throw new IOException("the other node has listed versions of another range");
            }
            Page mine = own.page(new KeyRange(rest.from(), theirs.to()));
            KeyRange covered = new KeyRange(rest.from(), mine.to());
            List<Known> theirVersions =
                    theirs.versions().stream()
                            .filter(version -> covered.isBeforeEnd(version.key()))
                            .toList();
            for (Known version : VersionTree.differences(mine.versions(), theirVersions)) {
                repair(version);
            }
            isDone = range.endsAt(covered.to());
            rest = range.startingAt(covered.to());
        }
    }

    private void repair(Known version) throws IOException, InterruptedException {
        limiter.repair();
        while (other.isBehind()) {
            TimeUnit.MILLISECONDS.sleep(BEHIND_PAUSE_MILLIS);
        }
        if (!repair.repair(version)) {
            unrepairedCount++;
        }
    }
}
