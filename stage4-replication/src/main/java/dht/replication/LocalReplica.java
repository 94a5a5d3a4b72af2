package dht.replication;

import dht.http.EntityRequest;
import dht.http.Responder;
import dht.storage.Dao;
import dht.storage.ReadOutcome;
import dht.storage.StorageException;
import java.util.function.Consumer;

/**
 * This node's own copies: of what it coordinates itself, and of what others coordinate. Does all in
 * the calling thread, which belongs to the pool.
 *
 * <p>Thread-safe.
 */
public final class LocalReplica implements Replica {
    private final Dao dao;
    private final HybridLogicalClock clock;
    private final String node;
    private final Consumer<Throwable> log;

    /**
     * @param node this node's URL
     */
    public LocalReplica(Dao dao, HybridLogicalClock clock, String node) {
        this(dao, clock, node, _ -> {});
    }

    private LocalReplica(Dao dao, HybridLogicalClock clock, String node, Consumer<Throwable> log) {
        this.dao = dao;
        this.clock = clock;
        this.node = node;
        this.log = log;
    }

    /** The same for one request: tells the log of a failure that other replicas may make up for. */
    LocalReplica loggedBy(Responder responder) {
        return new LocalReplica(dao, clock, node, responder::verdict);
    }

    @Override
    public void read(EntityRequest.Get request, Consumer<ReadAnswer> receiver) {
        receiver.accept(read(request));
    }

    private ReadAnswer read(EntityRequest.Get request) {
        try {
            return new ReadAnswer.Looked(dao.get(request.key()));
        } catch (RuntimeException | Error e) {
            return new ReadAnswer.Failed(failure(e));
        }
    }

    /** A write under this node's own stamp, which is past all that it holds. */
    @Override
    public void write(EntityRequest request, long timestampMicros, Consumer<WriteAnswer> receiver) {
        receiver.accept(write(request, timestampMicros));
    }

    private WriteAnswer write(EntityRequest request, long timestampMicros) {
        try {
            store(request, timestampMicros);
            return WriteAnswer.Stored.INSTANCE;
        } catch (RuntimeException | Error e) {
            return new WriteAnswer.Failed(failure(e));
        }
    }

    private ReplicaFailure failure(Throwable e) {
        log.accept(e);
        String reason = e instanceof StorageException ? e.getMessage() : "failed: see its log";
        return new ReplicaFailure(node, reason, e);
    }

    /** For another coordinator. */
    public ReadOutcome read(byte[] key) {
        return dao.get(key);
    }

    /**
     * A write under another coordinator's stamp. Doing it again changes nothing, nor does doing it
     * late.
     *
     * @return the stamp of the version that was there already, if it is at least as new, else 0
     * @throws StampAheadException if the stamp cannot be believed; nothing was stored
     */
    public long receive(EntityRequest request, long timestampMicros) throws StampAheadException {
        boolean isPastAllStored = timestampMicros > clock.lastMicros();
        clock.observe(timestampMicros); // Before it is stored: so lastMicros is never less.
        long newestMicros =
                isPastAllStored ? 0 : dao.newestTimestampMicros(request.key(), timestampMicros);
        store(request, timestampMicros);
        return newestMicros;
    }

    private void store(EntityRequest request, long timestampMicros) {
        switch (request) {
            case EntityRequest.Put put -> dao.upsert(put.key(), put.value(), timestampMicros);
            case EntityRequest.Delete delete -> dao.delete(delete.key(), timestampMicros);
            case EntityRequest.Get get -> throw new IllegalArgumentException("" + get);
        }
    }
}
