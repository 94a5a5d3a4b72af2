package dht.repair;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.replication.Healing;
import dht.replication.Holders;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.InstantSource;
import java.util.Optional;

/**
 * All that heals replicas, put together; each part runs in the background, on a thread of its own.
 * Thread-safe.
 */
public final class ReplicaHealing implements Healing, AutoCloseable {
    private final RepairCounts counts = new RepairCounts();
    private final Optional<ReadRepair> readRepair;

    /** Starts what the options ask for. */
    public static ReplicaHealing open(RepairOptions options, Holders holders) {
        ReplicaHealing healing = new ReplicaHealing(options, holders);
        healing.start();
        return healing;
    }

    private ReplicaHealing(RepairOptions options, Holders holders) {
        KeyRepair keyRepair =
                new KeyRepair(
                        holders::of, options.tombstoneGrace(), InstantSource.system(), counts);
        Pace pace = new Pace(options.keysPerSecondMax(), System::nanoTime);
        this.readRepair =
                options.isReadRepaired()
                        ? Optional.of(new ReadRepair(keyRepair, pace, counts))
                        : Optional.empty();
    }

    private void start() {
        readRepair.ifPresent(ReadRepair::start);
    }

    @Override
    public void missed(NodeAddress node, EntityRequest write, long timestampMicros) {}

    @Override
    public void divided(byte[] key, int from) {
        readRepair.ifPresent(repair -> repair.add(key, from));
    }

    /** Has all that there is to tell of it told. */
    public void watch(PrometheusRegistry registry) {
        RepairMetrics.watch(counts, registry);
    }

    @Override
    public void close() {
        readRepair.ifPresent(ReadRepair::close);
    }
}
