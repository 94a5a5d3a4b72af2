package dht.repair;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.http.EntityRequest;
import dht.replication.ReadAnswer;
import dht.replication.Replica;
import dht.replication.WriteAnswer;
import java.util.function.Consumer;

/**
 * A call to a replica that blocks its thread until the answer arrives. Only healing threads make
 * such calls: they have nothing else to do until then.
 *
 * <p>Thread-safe.
 */
final class BlockingCall<T> implements Consumer<T> {
    private final Consumer<T> unwanted;

    @GuardedBy("this")
    private T answer; // Null until the answer has arrived.

    @GuardedBy("this")
    private boolean isGivenUp;

    private BlockingCall(Consumer<T> unwanted) {
        this.unwanted = unwanted;
    }

    /**
     * Reads a replica's version. If the wait is interrupted, a version that arrives later is
     * closed.
     *
     * @return the answer; the caller must close the version in it
     */
    static ReadAnswer read(Replica replica, byte[] key) throws InterruptedException {
        BlockingCall<ReadAnswer> answer = new BlockingCall<>(BlockingCall::close);
        replica.read(new EntityRequest.Get(key, null), answer);
        return answer.await();
    }

    /** Writes a version to a replica, and returns its answer. */
    static WriteAnswer write(Replica replica, Copy copy) throws InterruptedException {
        BlockingCall<WriteAnswer> answer = new BlockingCall<>(_ -> {});
        replica.write(copy.request(), copy.timestampMicros(), answer);
        return answer.await();
    }

    @Override
    public void accept(T received) {
        if (!tryKeep(received)) {
            unwanted.accept(received);
        }
    }

    private synchronized boolean tryKeep(T received) {
        if (isGivenUp) {
            return false;
        }
        answer = received;
        notifyAll();
        return true;
    }

    /**
     * Waits for the answer. It always arrives, because every replica answers within its timeouts.
     */
    private synchronized T await() throws InterruptedException {
        try {
            while (answer == null) {
                wait();
            }
            return answer;
        } catch (InterruptedException e) {
            isGivenUp = true;
            if (answer != null) {
                unwanted.accept(answer);
            }
            throw e;
        }
    }

    static void close(ReadAnswer answer) {
        if (answer instanceof ReadAnswer.Looked looked) {
            looked.version().close();
        }
    }
}
