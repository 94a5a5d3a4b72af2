package dht.repair;

import dht.http.EntityRequest;
import dht.http.OwnedBytes;
import dht.http.RequestException;
import dht.repair.RepairMessage.Head;
import dht.repair.VersionTree.Page;
import dht.repair.VersionTree.Part;
import dht.repair.VersionTree.Verdict;
import dht.replication.HybridLogicalClock;
import dht.replication.LocalReplica;
import dht.replication.PlacementRecord;
import dht.replication.Replica;
import dht.sharding.Placement;
import dht.sharding.PlacementKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/**
 * Two of three nodes, which are compared. Their messages are encoded as on the wire, and counted.
 * Used by one thread.
 */
final class ComparedPair {
    static final int NODES = 3;

    final MapDao first = new MapDao();
    final MapDao second = new MapDao();
    final ComparisonCounts counts = new ComparisonCounts();
    final Sharing sharing;
    int messageCount;
    int largestMessage;

    /** Changes the pages that the second node sends. */
    UnaryOperator<Page> pages = UnaryOperator.identity();

    /** Whether the second node cannot take more writes at the moment. */
    BooleanSupplier behind = () -> false;

    private final Placement placement =
            PlacementKind.RENDEZVOUS.of(List.of("http://a:1", "http://b:2", "http://c:3"), 1);
    private final HybridLogicalClock clock =
            new HybridLogicalClock(() -> Instant.EPOCH, Duration.ofDays(3650), 0);
    private final LocalReplica firstReplica =
            new LocalReplica(first, clock, "http://a:1", () -> {});
    private final LocalReplica secondReplica =
            new LocalReplica(second, clock, "http://b:2", () -> {});
    private final Duration grace;
    private final long nowMillis;
    private final long forgottenMicros;

    ComparedPair() {
        this(Duration.ofDays(1), 0);
    }

    ComparedPair(Duration grace, long nowMillis) {
        this.grace = grace;
        this.nowMillis = nowMillis;
        this.forgottenMicros = 1000 * (nowMillis - grace.toMillis());
        this.sharing = new Sharing(placement, 0, 1);
    }

    /**
     * Stores a version as a coordinator does.
     *
     * @param value null for a deletion
     * @param from how many nodes hold it; 0: all
     */
    void store(MapDao dao, byte[] key, byte[] value, long stamp, int from) {
        LocalReplica replica = dao == first ? firstReplica : secondReplica;
        EntityRequest request =
                value == null
                        ? new EntityRequest.Delete(key, null, from)
                        : new EntityRequest.Put(key, OwnedBytes.takeOver(value), null, from);
        replica.write(request, stamp, _ -> {});
    }

    void storeOnBoth(byte[] key, byte[] value, long stamp, int from) {
        store(first, key, value, stamp, from);
        store(second, key, value, stamp, from);
    }

    int from(MapDao dao, byte[] key, long stamp) {
        return PlacementRecord.from(dao, key, stamp);
    }

    /** Compares the first node with the second, and returns how many versions were sent. */
    long compare() throws IOException, InterruptedException {
        return compare(keyRepair());
    }

    /** The same, but some keys may stay unrepaired; returns how many did. */
    long compareSome() throws IOException, InterruptedException {
        return compareSome(keyRepair());
    }

    long compareSome(Comparison.PairRepair repair) throws IOException, InterruptedException {
        Comparison comparison = comparison(repair);
        comparison.run();
        return comparison.unrepairedCount();
    }

    private Comparison.PairRepair keyRepair() {
        KeyRepair repair =
                new KeyRepair(
                        new Both(), NODES, grace, () -> Instant.ofEpochMilli(nowMillis), counts);
        return version ->
                repair.repair(
                        version.key(),
                        version.from() == 0 ? NODES : version.from(),
                        version.timestampMicros());
    }

    private final class Both implements KeyRepair.Holders {
        @Override
        public List<Replica> of(byte[] key, int from) {
            return List.of(firstReplica, secondReplica);
        }

        @Override
        public OptionalInt recorded(Replica replica, byte[] key, long stamp) {
            return OptionalInt.of(from(replica == firstReplica ? first : second, key, stamp));
        }
    }

    long compare(Comparison.PairRepair repair) throws IOException, InterruptedException {
        long before = counts.versionsSent.sum();
        Comparison comparison = comparison(repair);
        comparison.run();
        if (comparison.unrepairedCount() > 0) {
            throw new AssertionError("unrepaired: " + comparison.unrepairedCount());
        }
        if (first.openCursorCount() + second.openCursorCount() > 0) {
            throw new AssertionError("a cursor was not closed");
        }
        return counts.versionsSent.sum() - before;
    }

    private Comparison comparison(Comparison.PairRepair repair) {
        return new Comparison(
                new VersionTree(first, sharing, forgottenMicros),
                new Encoded(),
                repair,
                new RepairRateLimiter(1_000_000, System::nanoTime, new LongAdder()));
    }

    /** What the second node says about a part of the first node's tree. */
    Verdict verdict(Part part) {
        return secondTree(0, forgottenMicros).verdict(part);
    }

    private VersionTree secondTree(int asker, long forgotten) {
        return new VersionTree(second, new Sharing(placement, 1, asker), forgotten);
    }

    /** The second node, asked as over HTTP. */
    private final class Encoded implements Comparison.OtherTree {
        private final Head head = new Head(0, forgottenMicros);

        private VersionTree tree(Head asked) {
            return secondTree(asked.asker(), asked.forgottenMicros());
        }

        @Override
        public List<Verdict> verdicts(List<Part> parts) throws IOException {
            try {
                byte[] answer =
                        RepairMessage.parse(
                                ByteBuffer.wrap(counted(RepairMessage.ofParts(head, parts))),
                                message -> {
                                    VersionTree tree = tree(Head.read(message));
                                    List<Verdict> verdicts = new ArrayList<>();
                                    RepairMessage.parts(message)
                                            .forEach(part -> verdicts.add(tree.verdict(part)));
                                    return RepairMessage.ofVerdicts(verdicts);
                                });
                return RepairMessage.verdicts(counted(answer), parts.size());
            } catch (RequestException e) {
                throw new IOException(e);
            }
        }

        @Override
        public Page page(KeyRange range) throws IOException {
            try {
                byte[] answer =
                        RepairMessage.parse(
                                ByteBuffer.wrap(counted(RepairMessage.ofRange(head, range))),
                                message -> {
                                    VersionTree tree = tree(Head.read(message));
                                    Page page = tree.page(RepairMessage.range(message));
                                    return RepairMessage.ofPage(page);
                                });
                return pages.apply(
                        RepairMessage.parse(ByteBuffer.wrap(counted(answer)), RepairMessage::page));
            } catch (RequestException e) {
                throw new IOException(e);
            }
        }

        private byte[] counted(byte[] message) {
            messageCount++;
            counts.bytes.add(message.length);
            largestMessage = Math.max(largestMessage, message.length);
            return message;
        }

        @Override
        public boolean isBehind() {
            return behind.getAsBoolean();
        }
    }
}
