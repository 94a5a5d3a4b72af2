package dht.repair;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.http.EntityRequest;
import dht.replication.ReadAnswer;
import dht.replication.Replica;
import dht.replication.WriteAnswer;
import java.util.function.Consumer;

/**
 * An answer of a replica that a thread which heals waits for: it has nothing else to do meanwhile.
 *
 * <p>Thread-safe.
 */
final class Awaited<T> implements Consumer<T> {
    private final Consumer<T> unwanted;

    @GuardedBy("this")
    private T answer; // Null until it has come.

    @GuardedBy("this")
    private boolean isGivenUp;

    private Awaited(Consumer<T> unwanted) {
        this.unwanted = unwanted;
    }

    /**
     * What a replica holds. A version that comes after this was interrupted is closed.
     *
     * @return the version in it must be closed
     */
    static ReadAnswer read(Replica replica, byte[] key) throws InterruptedException {
        Awaited<ReadAnswer> answer = new Awaited<>(Awaited::close);
        replica.read(new EntityRequest.Get(key, null), answer);
        return answer.await();
    }

    /** What becomes of a version at a replica. */
    static WriteAnswer write(Replica replica, Copy copy) throws InterruptedException {
        Awaited<WriteAnswer> answer = new Awaited<>(_ -> {});
        replica.write(copy.request(), copy.timestampMicros(), answer);
        return answer.await();
    }

    @Override
    public void accept(T told) {
        if (!tryKeep(told)) {
            unwanted.accept(told);
        }
    }

    private synchronized boolean tryKeep(T told) {
        if (isGivenUp) {
            return false;
        }
        answer = told;
        notifyAll();
        return true;
    }

    /** Every replica answers, within its timeouts. */
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
