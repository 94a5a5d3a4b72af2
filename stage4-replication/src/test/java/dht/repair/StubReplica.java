package dht.repair;

import static java.nio.charset.StandardCharsets.UTF_8;

import dht.http.EntityRequest;
import dht.replication.ReadAnswer;
import dht.replication.Replica;
import dht.replication.ReplicaFailure;
import dht.replication.WriteAnswer;
import dht.storage.ReadOutcome;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;

/** A replica that holds one version of one key, as text: {@code v@10}, {@code @10} or nothing. */
final class StubReplica implements Replica {
    private static final ReplicaFailure DOWN = new ReplicaFailure("http://n:1", "is down");
    private static final ReplicaFailure FULL = new ReplicaFailure("http://n:1", "is full");

    private String version;
    private boolean isDown;
    private boolean isBehind;
    private boolean isFull;
    private MemorySegment memory; // Null: the value is on the heap.
    private int heldCount;
    private int writtenFrom;

    StubReplica(String version) {
        this.version = version;
    }

    static StubReplica down() {
        StubReplica replica = new StubReplica("");
        replica.isDown = true;
        return replica;
    }

    StubReplica behind() {
        isBehind = true;
        return this;
    }

    /** The bytes of its value are those of this memory. */
    StubReplica in(MemorySegment mapped) {
        memory = mapped;
        return this;
    }

    /** From now on, it stores nothing. */
    StubReplica full() {
        isFull = true;
        return this;
    }

    String version() {
        return version;
    }

    /** How many nodes hold the version that was written last, as its writer says. */
    int writtenFrom() {
        return writtenFrom;
    }

    /** Versions that were answered and not closed. */
    int heldCount() {
        return heldCount;
    }

    @Override
    public void read(EntityRequest.Get request, Consumer<ReadAnswer> receiver) {
        receiver.accept(isDown ? new ReadAnswer.Failed(DOWN) : new ReadAnswer.Looked(outcome()));
    }

    private ReadOutcome outcome() {
        if (version.isEmpty()) {
            return ReadOutcome.Absent.INSTANCE;
        }
        String value = version.substring(0, version.indexOf('@'));
        long stamp = Long.parseLong(version.substring(version.indexOf('@') + 1));
        if (value.isEmpty()) {
            return new ReadOutcome.Deleted(stamp);
        }
        heldCount++;
        MemorySegment bytes =
                memory == null ? MemorySegment.ofArray(value.getBytes(UTF_8)) : memory;
        return new ReadOutcome.Found(bytes, stamp, () -> heldCount--);
    }

    @Override
    public void write(EntityRequest request, long stamp, Consumer<WriteAnswer> receiver) {
        if (isDown) {
            receiver.accept(new WriteAnswer.Failed(DOWN));
            return;
        }
        if (isFull) {
            receiver.accept(new WriteAnswer.Failed(FULL));
            return;
        }
        String value =
                request instanceof EntityRequest.Put put
                        ? new String(put.value().toArray(ValueLayout.JAVA_BYTE), UTF_8)
                        : "";
        version = value + "@" + stamp;
        writtenFrom = request.from();
        receiver.accept(WriteAnswer.Stored.INSTANCE);
    }

    @Override
    public void noteMissed(EntityRequest write, long stamp) {
        throw new AssertionError("nothing is missed");
    }

    @Override
    public void findNewer(byte[] key, long stamp, Consumer<WriteAnswer> receiver) {
        throw new AssertionError("nobody asks");
    }

    @Override
    public boolean isBehind() {
        return isBehind;
    }
}
