package dht.replication;

import dht.storage.ReadOutcome;
import java.util.ArrayList;
import java.util.List;

/**
 * Notes which replicas have answered an atomic read with the newest version, and which with an
 * older one.
 *
 * <p>Used by one thread at a time.
 */
final class Confirmation {
    private final Quorum quorum;
    private final List<Replica> current; // They have the newest version among the answers.
    private final List<Replica> older;

    Confirmation(Quorum quorum) {
        this.quorum = quorum;
        this.current = new ArrayList<>(quorum.from());
        this.older = new ArrayList<>(quorum.from());
    }

    /**
     * Adds a replica's answer.
     *
     * @param newest the newest version in the earlier answers
     */
    void add(Replica replica, ReadOutcome version, ReadOutcome newest) {
        if (VersionOrder.winsOver(version, newest)) {
            older.addAll(current);
            current.clear();
            current.add(replica);
        } else {
            (VersionOrder.isSame(version, newest) ? current : older).add(replica);
        }
    }

    /**
     * Whether at least {@code ack} replicas have the newest version. If fewer have it, a later read
     * could ask only replicas that lack it.
     */
    boolean isQuorum() {
        return current.size() >= quorum.ack();
    }

    /**
     * Creates the round of a write-back. The round counts the replicas that already have the
     * version.
     */
    WriteRound writeBack() {
        WriteRound round = WriteRound.last(quorum);
        current.forEach(_ -> round.add(WriteAnswer.Stored.INSTANCE));
        return round;
    }

    /**
     * The replicas that are not known to have the version. Those that have answered come first:
     * they are probably reachable.
     *
     * @param replicas all replicas of the key
     */
    List<Replica> lacking(List<Replica> replicas) {
        List<Replica> lacking = new ArrayList<>(older);
        for (Replica replica : replicas) {
            if (!current.contains(replica) && !older.contains(replica)) {
                lacking.add(replica);
            }
        }
        return lacking;
    }
}
