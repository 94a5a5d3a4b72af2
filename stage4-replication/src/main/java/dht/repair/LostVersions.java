package dht.repair;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.replication.LocalReplica;
import dht.replication.PlacementRecord;
import dht.replication.StampAheadException;
import dht.storage.CorruptionException;
import dht.storage.Dao;
import dht.storage.EntryCursor;
import dht.storage.LostRange;
import dht.storage.lsm.DamagedTables;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Finds the versions that were lost with the damaged blocks of this node's tables, receives them
 * from other nodes, and then removes the blocks. A block stays in its table until its keys have
 * been received from enough other nodes. So this node never answers that a lost key is absent.
 *
 * <p>It keeps some of the received keys in memory: those that the damaged table may have. These are
 * the lost keys. With the default of {@code --bloom-bits}, they are also about 1 % of the other
 * keys in the lost ranges. Used by one thread.
 */
final class LostVersions {
    private final Dao dao;
    private final LocalReplica local;
    private final DamagedTables tables;
    private final Duration tombstoneGrace;

    LostVersions(Dao dao, LocalReplica local, DamagedTables tables, Duration tombstoneGrace) {
        this.dao = dao;
        this.local = local;
        this.tables = tables;
        this.tombstoneGrace = tombstoneGrace;
    }

    /** The lost ranges that are known: a list for each damaged table, the oldest table first. */
    List<List<LostRange>> ranges() {
        return tables.lost();
    }

    /**
     * What other nodes have sent for the lost ranges of one table: the keys that this table may
     * have, and the nodes whose entries have all been received.
     */
    final class Received implements EntryReceiver.Known {
        private final List<LostRange> lost;
        private final Set<NodeAddress> nodes = new HashSet<>();
        private final Set<ByteBuffer> keys = new HashSet<>();

        Received(List<LostRange> lost) {
            this.lost = lost;
        }

        /** Whether this is about exactly these ranges. */
        boolean isOf(List<LostRange> ranges) {
            return lost.equals(ranges);
        }

        boolean isFrom(NodeAddress node) {
            return nodes.contains(node);
        }

        void receive(NodeAddress node, EntryReceiver receiver)
                throws IOException, InterruptedException {
            for (LostRange range : lost) {
                for (KeyRange keysOfClients : KeyRange.concernedBy(range.from(), range.to())) {
                    receiver.receive(node, keysOfClients, this);
                }
            }
            nodes.add(node);
        }

        /** The key of any entry counts, even if this node is not a replica of that version. */
        @Override
        public void received(byte[] key) {
            if (mayContain(key)) {
                keys.add(ByteBuffer.wrap(key));
            }
        }

        /**
         * The filter of the damaged table decides this, and not a search: a block that was damaged
         * may be readable for a moment.
         */
        private boolean mayContain(byte[] key) {
            return tables.mayContain(lost.getFirst(), key);
        }

        /**
         * Whether this node has the version, or a newer one. If the version has a placement record,
         * this node must have that record, too. If the damaged table may have the key, returns
         * false.
         */
        @Override
        public boolean includes(EntityRequest header, long timestampMicros)
                throws StampAheadException {
            try {
                boolean isStored = local.observe(header, timestampMicros) > 0;
                return isStored
                        && !mayContain(header.key())
                        && (header.from() == 0
                                || PlacementRecord.from(dao, header.key(), timestampMicros)
                                        == header.from());
            } catch (CorruptionException e) { // Of this table, or of another one.
                keys.add(ByteBuffer.wrap(header.key()));
                return false;
            }
        }

        /**
         * Waits until everything that was received is durable, and removes the damaged blocks. The
         * entries of enough nodes must have been received before.
         *
         * @param isFromAll whether the entries of all other nodes have been received
         * @throws dht.storage.StorageException if that failed; the blocks stay
         */
        void finish(boolean isFromAll) {
            long forgottenMicros =
                    TimeUnit.MILLISECONDS.toMicros(
                            InstantSource.system().millis() - tombstoneGrace.toMillis());
            for (LostRange range : lost) {
                Optional<EntryCursor> doubtful = tables.doubtful(range, forgottenMicros);
                if (doubtful.isPresent()) {
                    try (EntryCursor values = doubtful.get()) {
                        hideDeleted(values, isFromAll);
                    }
                }
            }
            dao.flush(); // What was received must be durable before the block is dropped.
            tables.drop(lost);
        }

        /**
         * Deletes those of these values that no other node has sent. A tombstone in a damaged block
         * may have deleted them, and is lost. The other nodes have dropped the tombstone after its
         * grace period, together with the value.
         */
        private void hideDeleted(EntryCursor values, boolean isFromAll) {
            while (values.next()) {
                byte[] key = values.entry().copyKey();
                long timestampMicros = values.entry().timestampMicros();
                if (key[0] != PlacementRecord.PREFIX
                        && !keys.contains(ByteBuffer.wrap(key))
                        && !isMaybeOnlyHere(key, timestampMicros, isFromAll)) {
                    dao.delete(key, timestampMicros);
                }
            }
        }

        /**
         * Whether this node may have the only copy of a value that nobody has deleted. This is true
         * if no other node should have the value. Suppose a rebuilding node was left out. It may be
         * the only other node that should have the value, and its data is lost. So then this is
         * also true for each value that not all nodes should have.
         */
        private boolean isMaybeOnlyHere(byte[] key, long timestampMicros, boolean isFromAll) {
            try {
                int from = PlacementRecord.from(dao, key, timestampMicros);
                return from == 1 || (from > 1 && !isFromAll);
            } catch (CorruptionException e) {
                return !isFromAll;
            }
        }
    }
}
