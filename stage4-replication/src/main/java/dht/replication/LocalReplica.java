package dht.replication;

import dht.http.EntityRequest;
import dht.http.RequestTrace;
import dht.http.Responder;
import dht.storage.Dao;
import dht.storage.ReadOutcome;
import dht.storage.StorageException;
import dht.storage.WriteListener;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * This node's own copies, for requests that it coordinates itself and for those of other
 * coordinators. Works on the calling thread, which belongs to the pool. One exception: if a write
 * waits for a sync, the thread that syncs calls the receiver.
 *
 * <p>Thread-safe.
 */
public final class LocalReplica implements Replica {
    private static final WriteAnswer.Failed NO_MEMORY =
            new WriteAnswer.Failed(new ReplicaFailure("this node", "no memory"));

    private final Dao dao;
    private final HybridLogicalClock clock;
    private final String node;
    private final Runnable requireComplete;
    private final Consumer<Throwable> log;
    private final RequestTrace trace;
    private final AtomicLong missed; // Unlike a LongAdder, it also counts without free memory.

    /**
     * @param node this node's URL
     * @param requireComplete throws a {@link StorageException} while this node's data may be
     *     incomplete. Then this replica stores writes, and its reads fail
     */
    public LocalReplica(Dao dao, HybridLogicalClock clock, String node, Runnable requireComplete) {
        this(dao, clock, node, requireComplete, _ -> {}, RequestTrace.OFF, new AtomicLong());
    }

    private LocalReplica(
            Dao dao,
            HybridLogicalClock clock,
            String node,
            Runnable requireComplete,
            Consumer<Throwable> log,
            RequestTrace trace,
            AtomicLong missed) {
        this.dao = dao;
        this.clock = clock;
        this.node = node;
        this.requireComplete = requireComplete;
        this.log = log;
        this.trace = trace;
        this.missed = missed;
    }

    /**
     * The same replica, for one request. It logs a failure of this node's storage: the request may
     * still succeed on other replicas, and then the client gets no error. It also records when the
     * storage is done.
     */
    LocalReplica loggedBy(Responder responder) {
        return new LocalReplica(
                dao, clock, node, requireComplete, responder::verdict, responder.trace(), missed);
    }

    @Override
    public void read(EntityRequest.Get request, Consumer<ReadAnswer> receiver) {
        receiver.accept(read(request));
    }

    private ReadAnswer read(EntityRequest.Get request) {
        try {
            ReadOutcome outcome = read(request.key());
            trace.stored();
            return looked(outcome);
        } catch (RuntimeException | Error e) {
            return new ReadAnswer.Failed(failure(e));
        }
    }

    private static ReadAnswer looked(ReadOutcome outcome) {
        try {
            return new ReadAnswer.Looked(outcome);
        } catch (OutOfMemoryError e) {
            outcome.close();
            throw e;
        }
    }

    /**
     * Writes a version, and does not look for a newer one. A write that this node coordinates needs
     * no such search: its stamp was greater than all stored stamps when it was given, and a version
     * that was stored since then belongs to a concurrent write. A write-back or a repair may write
     * an older version; the newest version stays the newest.
     */
    @Override
    public void write(EntityRequest request, long timestampMicros, Consumer<WriteAnswer> receiver) {
        OwnWrite write;
        try {
            write = new OwnWrite(receiver);
        } catch (OutOfMemoryError e) {
            missed.incrementAndGet();
            receiver.accept(NO_MEMORY);
            return;
        }
        try {
            store(request, timestampMicros, write);
        } catch (RuntimeException | Error e) {
            if (write.isNotified) { // The receiver has thrown, which it must not do.
                throw e;
            }
            missed.incrementAndGet();
            receiver.accept(notWritten(e));
        }
    }

    /**
     * How many writes of this node's coordinator this node may not have stored: its storage has
     * failed, for example because the disk was full, or the write has not reached it.
     */
    public long missedCount() {
        return missed.get();
    }

    @Override
    public void noteMissed(EntityRequest write, long timestampMicros) {
        missed.incrementAndGet();
    }

    /**
     * Answers {@code Stored} without a search: this node's clock is past all stamps that this node
     * has stored. Answers {@code Failed} while this node's data may be incomplete.
     *
     * @param timestampMicros a new stamp of this node's clock
     */
    @Override
    public void findNewer(byte[] key, long timestampMicros, Consumer<WriteAnswer> receiver) {
        receiver.accept(newer());
    }

    private WriteAnswer newer() {
        try {
            requireComplete.run();
            return WriteAnswer.Stored.INSTANCE;
        } catch (StorageException e) {
            return new WriteAnswer.Failed(failure(e));
        }
    }

    /** Passes the outcome of a write to this node's coordinator. */
    private final class OwnWrite implements WriteListener {
        private final Consumer<WriteAnswer> receiver;
        private boolean isNotified; // The writing thread reads it if the write throws.

        OwnWrite(Consumer<WriteAnswer> receiver) {
            this.receiver = receiver;
        }

        @Override
        public void durable() {
            isNotified = true;
            trace.stored();
            receiver.accept(WriteAnswer.Stored.INSTANCE);
        }

        @Override
        public void failed(StorageException e) {
            isNotified = true;
            missed.incrementAndGet();
            receiver.accept(notWritten(e));
        }
    }

    /** Throws nothing, even if there is no memory. */
    private WriteAnswer.Failed notWritten(Throwable e) {
        try {
            return new WriteAnswer.Failed(failure(e));
        } catch (OutOfMemoryError _) {
            return NO_MEMORY;
        }
    }

    private ReplicaFailure failure(Throwable e) {
        log.accept(e);
        String reason = e instanceof StorageException ? e.getMessage() : "failed: see its log";
        return new ReplicaFailure(node, reason, e);
    }

    /** Reads this node's version for a coordinator on another node. */
    public ReadOutcome read(byte[] key) {
        requireComplete.run();
        return dao.get(key);
    }

    /**
     * Prepares to {@link #store} a write with the stamp of a coordinator on another node: moves
     * this node's clock to that stamp.
     *
     * @return the stamp of the stored version if that version is at least as new, else 0
     * @throws StampAheadException if the stamp is too far ahead; the write must not be stored
     */
    public long observe(EntityRequest request, long timestampMicros) throws StampAheadException {
        boolean isPastAllStored = timestampMicros > clock.lastMicros();
        // Before the write is stored, so lastMicros is never less than a stored stamp.
        clock.observe(timestampMicros);
        return isPastAllStored ? 0 : dao.newestTimestampMicros(request.key(), timestampMicros);
    }

    /**
     * The stamp of the stored version, if it is at least as new as a stamp of a coordinator on
     * another node, else 0. The stamp does not move this node's clock: nothing is written yet.
     */
    public long newerMicros(byte[] key, long timestampMicros) {
        requireComplete.run();
        return timestampMicros > clock.lastMicros()
                ? 0
                : dao.newestTimestampMicros(key, timestampMicros);
    }

    /**
     * Stores a version. It may be stored twice, or after a newer version: the newest version stays
     * the newest.
     *
     * @param listener is notified once: when the version is durable, or when it could not be made
     *     durable. If this method throws, the listener is not notified
     * @throws StorageException if the version was not stored
     */
    public void store(EntityRequest request, long timestampMicros, WriteListener listener) {
        if (request.from() > 0) {
            PlacementRecord.store(dao, request.key(), request.from(), timestampMicros);
        }
        switch (request) {
            case EntityRequest.Put put ->
                    dao.upsert(put.key(), put.value(), timestampMicros, listener);
            case EntityRequest.Delete delete -> dao.delete(delete.key(), timestampMicros, listener);
            case EntityRequest.Get get -> throw new IllegalArgumentException("" + get);
        }
    }
}
