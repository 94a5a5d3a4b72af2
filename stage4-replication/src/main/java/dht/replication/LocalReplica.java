package dht.replication;

import dht.http.EntityRequest;
import dht.http.Responder;
import dht.storage.Dao;
import dht.storage.ReadOutcome;
import dht.storage.StorageException;
import dht.storage.WriteListener;
import java.util.function.Consumer;

/**
 * This node's own copies: of what it coordinates itself, and of what others coordinate. Does all in
 * the calling thread, which belongs to the pool; but where a write waits for a sync, the thread
 * that syncs brings its answer.
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
        OwnWrite write = new OwnWrite(receiver);
        try {
            store(request, timestampMicros, write);
        } catch (RuntimeException | Error e) {
            if (write.isNotified) { // By the receiver, against its promise.
                throw e;
            }
            receiver.accept(new WriteAnswer.Failed(failure(e)));
        }
    }

    /** Answers this node's coordinator. */
    private final class OwnWrite implements WriteListener {
        private final Consumer<WriteAnswer> receiver;
        private boolean isNotified; // Read by the writing thread when the write has thrown.

        OwnWrite(Consumer<WriteAnswer> receiver) {
            this.receiver = receiver;
        }

        @Override
        public void durable() {
            isNotified = true;
            receiver.accept(WriteAnswer.Stored.INSTANCE);
        }

        @Override
        public void failed(StorageException e) {
            isNotified = true;
            receiver.accept(new WriteAnswer.Failed(failure(e)));
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
     * Prepares to {@link #store} a write under another coordinator's stamp: moves this node's clock
     * past it.
     *
     * @return the stamp of the version that is there already, if it is at least as new, else 0
     * @throws StampAheadException if the stamp cannot be believed; the write must not be stored
     */
    public long observe(EntityRequest request, long timestampMicros) throws StampAheadException {
        boolean isPastAllStored = timestampMicros > clock.lastMicros();
        clock.observe(timestampMicros); // Before it is stored: so lastMicros is never less.
        return isPastAllStored ? 0 : dao.newestTimestampMicros(request.key(), timestampMicros);
    }

    /**
     * Stores a version. Doing it again changes nothing, nor does doing it late.
     *
     * @param listener is notified when the version is durable, unless this throws
     */
    public void store(EntityRequest request, long timestampMicros, WriteListener listener) {
        switch (request) {
            case EntityRequest.Put put ->
                    dao.upsert(put.key(), put.value(), timestampMicros, listener);
            case EntityRequest.Delete delete -> dao.delete(delete.key(), timestampMicros, listener);
            case EntityRequest.Get get -> throw new IllegalArgumentException("" + get);
        }
    }
}
