package dht.repair;

import dht.cluster.NodeAddress;
import dht.cluster.Topology;
import dht.http.EntityRequest;
import dht.http.OwnedBytes;
import dht.peer.Peers;
import dht.replication.Healing;
import dht.replication.Holders;
import dht.replication.HybridLogicalClock;
import dht.replication.StubPeer;
import dht.sharding.Placement;
import dht.testkit.allocation.Allocations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * Healing is notified while allocations fail, and the other node never answers. Healing must not
 * throw, because the coordinator would then not answer its client.
 */
final class HealingSchedule implements LongConsumer {
    private static final int STEPS = 50;
    private static final Duration DAY = Duration.ofDays(1);
    private static final OwnedBytes VALUE = OwnedBytes.takeOver(new byte[100]);
    private static final NodeAddress OTHER = new NodeAddress("b", 2);

    /** The other node holds every key. */
    private record OnTheOther() implements Placement {
        @Override
        public int nodeCount() {
            return 2;
        }

        @Override
        public int owner(byte[] key) {
            return 1;
        }

        @Override
        public int[] preferenceList(byte[] key, int count) {
            return new int[] {1};
        }
    }

    @Override
    public void accept(long seed) {
        long nowMicros = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
        SplittableRandom random = new SplittableRandom(seed);
        try {
            Path path = Files.createTempDirectory("healing");
            RepairCounts counts = new RepairCounts();
            RepairOptions options =
                    new RepairOptions(true, 1000, DAY, 64 << 20, path, DAY, Duration.ZERO);
            try (Hints hints = Hints.open(options, List.of(OTHER), counts);
                    ReplicaHealing healing = open(options, hints, counts)) {
                for (int i = 0; i < STEPS; i++) {
                    byte[] key = {(byte) random.nextInt(5)};
                    var write = new EntityRequest.Put(key, VALUE, null);
                    Allocations.fail(random.nextInt(20), random.nextInt(1, 10));
                    healing.missed(OTHER, write, nowMicros + i);
                    healing.divided(key, 1);
                    Allocations.heal();
                }
            } finally {
                Allocations.heal();
            }
            deleteAll(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ReplicaHealing open(RepairOptions options, Hints hints, RepairCounts counts) {
        Peers peers =
                new Peers(
                        new Topology(List.of(new NodeAddress("a", 1), OTHER), 0),
                        null,
                        StubPeer::new);
        HybridLogicalClock clock = new HybridLogicalClock(InstantSource.system(), DAY, 0);
        Holders holders = new Holders(new OnTheOther(), peers, null, clock, Healing.NONE);
        return ReplicaHealing.open(options, holders, peers, clock, null, hints, counts);
    }

    static void deleteAll(Path path) throws IOException {
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
