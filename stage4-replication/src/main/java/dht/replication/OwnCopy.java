package dht.replication;

import dht.http.EntityRequest;
import dht.http.RequestExecutor;
import dht.http.Response;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * One write of this node's own copy, for a write that this node coordinates. If it waits for a
 * sync, its answer comes on the thread that syncs, for which all other writes wait. So the answer
 * is then passed on in the pool: its receiver may write to another node's socket or store a hint.
 *
 * <p>Thread-safe: the answer may come while the write returns.
 */
final class OwnCopy implements RequestExecutor.Task, Consumer<WriteAnswer> {
    private static final WriteAnswer REFUSED =
            new WriteAnswer.Failed(
                    new ReplicaFailure(
                            "this node",
                            "did not store the write: it is stopping, has no memory, or has failed: see its log"));

    private final RequestExecutor pool;
    private final Replica own;
    private final EntityRequest request;
    private final long timestampMicros;
    private final Consumer<WriteAnswer> receiver;
    private WriteAnswer answer; // Null until it is known. Published by isHalfDone and the pool.

    /** True when the first of two has happened: the answer has come, or the write has returned. */
    private final AtomicBoolean isHalfDone = new AtomicBoolean();

    /**
     * @param receiver gets the answer once: on the thread that writes, on another thread of the
     *     pool, or, if the pool refuses the task, on the thread that gets the refusal
     */
    OwnCopy(
            RequestExecutor pool,
            Replica own,
            EntityRequest request,
            long timestampMicros,
            Consumer<WriteAnswer> receiver) {
        this.pool = pool;
        this.own = own;
        this.request = request;
        this.timestampMicros = timestampMicros;
        this.receiver = receiver;
    }

    /** Writes the copy on the calling thread, which may wait for the storage. */
    void write() {
        own.write(request, timestampMicros, this);
        if (!isHalfDone.compareAndSet(false, true)) { // The answer has come.
            receiver.accept(answer);
        }
    }

    /** Takes the next step in the pool: writes the copy, or passes the answer on. */
    void continueInPool() {
        try {
            pool.resume(this);
        } catch (RuntimeException | Error e) { // For example, there is no memory for the task.
            CoordinatorContext.log(e);
            giveUp();
        }
    }

    @Override
    public void run() {
        if (answer == null) {
            write();
        } else {
            receiver.accept(answer);
        }
    }

    @Override
    public void refuse(Response reason) {
        giveUp();
    }

    private void giveUp() {
        if (answer == null) {
            own.noteMissed(request, timestampMicros);
            answer = REFUSED;
        }
        receiver.accept(answer);
    }

    @Override
    public void accept(WriteAnswer given) {
        answer = given;
        if (!isHalfDone.compareAndSet(false, true)) { // The write has returned.
            continueInPool();
        }
    }
}
