package dht.repair;

import dht.replication.ReadAnswer;
import dht.replication.Replica;
import dht.replication.WriteAnswer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Brings the newest version of one key to those of its replicas that lack it: asks all of them, and
 * writes to the ones that have answered something older. A replica that does not answer is left as
 * it is.
 *
 * <p>For one thread at a time.
 */
final class KeyRepair {
    /** Who holds a key. */
    @FunctionalInterface
    interface Holders {
        List<Replica> of(byte[] key, int from);
    }

    private final Holders holders;
    private final Duration tombstoneGrace;
    private final InstantSource timeOfDay;
    private final RepairCounts counts;

    /**
     * @param holders whose own writes tell nobody that they were missed
     * @param tombstoneGrace after which a replica may have dropped a tombstone for good
     */
    KeyRepair(
            Holders holders,
            Duration tombstoneGrace,
            InstantSource timeOfDay,
            RepairCounts counts) {
        this.holders = holders;
        this.tombstoneGrace = tombstoneGrace;
        this.timeOfDay = timeOfDay;
        this.counts = counts;
    }

    void repair(byte[] key, int from) throws InterruptedException {
        Answers answers = new Answers(key);
        for (Replica replica : holders.of(key, from)) {
            ReadAnswer answer = Awaited.read(replica, key);
            try {
                answers.add(replica, answer);
            } finally {
                Awaited.close(answer);
            }
        }
        for (Replica replica : answers.lacking()) {
            write(replica, answers.newest);
        }
    }

    private void write(Replica replica, Copy newest) throws InterruptedException {
        if (replica.isBehind()) {
            counts.readRepairDropped();
            return;
        }
        switch (Awaited.write(replica, newest)) {
            case WriteAnswer.Stored _, WriteAnswer.Late _ -> counts.readRepaired();
            case WriteAnswer.Failed _, WriteAnswer.Rejected _ -> counts.readRepairFailed();
        }
    }

    /** What the replicas of a key hold. */
    private final class Answers {
        private final byte[] key;
        private final List<Replica> older = new ArrayList<>();
        private final List<Replica> withoutAny = new ArrayList<>();
        private final List<Replica> current = new ArrayList<>();
        private Copy newest; // Null as long as there is none.

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

        /**
         * Those to which the newest version goes. A replica that holds nothing may have dropped an
         * old tombstone in its time, and needs it no more.
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
