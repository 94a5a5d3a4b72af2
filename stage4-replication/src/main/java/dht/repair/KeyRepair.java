package dht.repair;

import dht.replication.CoordinatorContext;
import dht.replication.PlacementRecord;
import dht.replication.ReadAnswer;
import dht.replication.Replica;
import dht.replication.WriteAnswer;
import dht.storage.CorruptionException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

/**
 * Repairs one key: reads it from all its replicas, and writes the newest version to those that have
 * an older one or none. A replica that does not answer is skipped, and so is one whose version
 * cannot be read.
 *
 * <p>Used by one thread at a time.
 */
final class KeyRepair {
    /** Finds the replicas of a key. */
    @FunctionalInterface
    interface Holders {
        List<Replica> of(byte[] key, int from);

        /**
         * How many nodes hold a version, as a replica that has it has recorded; 0 if all of them
         * do. Empty if the replica does not answer, or has lost the version to a newer one. Needed
         * only where versions are listed before they are repaired.
         */
        default OptionalInt recorded(Replica replica, byte[] key, long timestampMicros) {
            throw new UnsupportedOperationException();
        }
    }

    static final long ANY_VERSION = 0;

    private final Holders holders;
    private final int nodeCount;
    private final Duration tombstoneGrace;
    private final InstantSource timeOfDay;
    private final RepairOutcomes outcomes;

    /**
     * @param holders finds the replicas of a key; their failed writes must not be reported as
     *     missed
     * @param nodeCount the number of nodes in the cluster
     * @param tombstoneGrace the age at which a replica may delete a tombstone
     */
    KeyRepair(
            Holders holders,
            int nodeCount,
            Duration tombstoneGrace,
            InstantSource timeOfDay,
            RepairOutcomes outcomes) {
        this.holders = holders;
        this.nodeCount = nodeCount;
        this.tombstoneGrace = tombstoneGrace;
        this.timeOfDay = timeOfDay;
        this.outcomes = outcomes;
    }

    /**
     * Repairs a key.
     *
     * @param from how many nodes hold the version with this stamp; with {@link #ANY_VERSION}, how
     *     many replicas the key has
     * @param timestampMicros the stamp of the version that was listed. If the newest version has
     *     another stamp, it may belong to other replicas. Then a value is not written, and a
     *     tombstone is written only to replicas that have an older version, with the number of
     *     nodes that hold the tombstone. {@link #ANY_VERSION} repairs whatever is newest
     * @return whether all replicas have answered, and have stored what was written to them. So true
     *     may also mean that nothing was written, because the key has changed since it was listed
     */
    boolean repair(byte[] key, int from, long timestampMicros) throws InterruptedException {
        Answers answers = new Answers(key);
        boolean isRepaired = true;
        for (Replica replica : holders.of(key, from)) {
            ReadAnswer answer = BlockingCall.read(replica, key);
            try {
                isRepaired &= answer instanceof ReadAnswer.Looked;
                answers.add(replica, answer);
            } catch (CorruptionException e) { // A large value, which only now was read.
                CoordinatorContext.log(e);
                isRepaired = false;
            } finally {
                BlockingCall.close(answer);
            }
        }
        if (timestampMicros == ANY_VERSION || answers.isNewest(timestampMicros)) {
            return send(answers, PlacementRecord.recorded(from, nodeCount)) && isRepaired;
        }
        if (!answers.isDeleted()) {
            return isRepaired;
        }
        answers.withoutAny.clear(); // They may not be replicas of the tombstone.
        if (answers.lacking().isEmpty()) {
            return isRepaired;
        }
        OptionalInt recorded = answers.recorded();
        return recorded.isPresent() && send(answers, recorded.getAsInt()) && isRepaired;
    }

    /** Sends the newest version where it lacks; returns whether it is stored there. */
    private boolean send(Answers answers, int recorded) throws InterruptedException {
        List<Replica> lacking = answers.lacking();
        Copy newest = lacking.isEmpty() ? null : answers.newest.with(answers.key, recorded);
        boolean isStored = true;
        for (Replica replica : lacking) {
            isStored &= write(replica, newest);
        }
        return isStored;
    }

    private boolean write(Replica replica, Copy newest) throws InterruptedException {
        if (replica.isBehind()) {
            outcomes.repairDropped();
            return false;
        }
        return switch (BlockingCall.write(replica, newest)) {
            case WriteAnswer.Stored _, WriteAnswer.Superseded _ -> {
                outcomes.repaired();
                yield true;
            }
            case WriteAnswer.Failed _, WriteAnswer.Rejected _ -> {
                outcomes.repairFailed();
                yield false;
            }
        };
    }

    /** The versions that the replicas of a key have. */
    private final class Answers {
        private final byte[] key;
        private final List<Replica> older = new ArrayList<>();
        private final List<Replica> withoutAny = new ArrayList<>();
        private final List<Replica> current = new ArrayList<>();
        private Copy newest; // Null until a version is found.

        Answers(byte[] key) {
            this.key = key;
        }

        void add(Replica replica, ReadAnswer answer) {
            if (!(answer instanceof ReadAnswer.Looked looked)) {
                return;
            }
            Copy copy = Copy.of(key, looked.version());
            if (copy == null) {
                withoutAny.add(replica);
            } else if (newest == null || copy.winsOver(newest)) {
                older.addAll(current);
                current.clear();
                current.add(replica);
                newest = copy;
            } else {
                (newest.winsOver(copy) ? older : current).add(replica);
            }
        }

        boolean isNewest(long timestampMicros) {
            return newest != null && newest.timestampMicros() == timestampMicros;
        }

        boolean isDeleted() {
            return newest != null && newest.isTombstone();
        }

        /**
         * How many nodes hold the newest version; empty if the replica that is asked does not say
         * it.
         */
        OptionalInt recorded() {
            return holders.recorded(current.getFirst(), key, newest.timestampMicros());
        }

        /**
         * The replicas that need the newest version. There is one exception: a replica without any
         * version does not need an old tombstone, because it may already have deleted that
         * tombstone.
         */
        List<Replica> lacking() {
            if (newest != null && !(newest.isTombstone() && isForgotten(newest))) {
                older.addAll(withoutAny);
            }
            return older;
        }
    }

    private boolean isForgotten(Copy tombstone) {
        long nowMicros = TimeUnit.MILLISECONDS.toMicros(timeOfDay.millis());
        return nowMicros - tombstone.timestampMicros()
                > TimeUnit.MILLISECONDS.toMicros(tombstoneGrace.toMillis());
    }
}
