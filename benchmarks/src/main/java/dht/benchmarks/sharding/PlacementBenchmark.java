package dht.benchmarks.sharding;

import dht.sharding.Placement;
import dht.sharding.PlacementKind;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** How long it takes to find a key's owner, and its three first nodes. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgs = "-Xmx2g")
public class PlacementBenchmark {
    /** So many that the processor cannot learn the way to each. */
    private static final int KEYS = 1 << 16;

    private static final int KEY_BYTES = 16;
    private static final int REPLICAS = 3;

    @Param({"RENDEZVOUS", "CONSISTENT"})
    public PlacementKind kind;

    @Param({"3", "10", "30", "100", "300", "1000"})
    public int nodes;

    private final byte[][] keys = new byte[KEYS][KEY_BYTES];
    private Placement placement;
    private int next;

    @Setup
    public void place() {
        placement = kind.of(Nodes.names(nodes), PlacementKind.VIRTUAL_NODE_COUNT_DEFAULT);
        SplittableRandom random = new SplittableRandom(1);
        for (byte[] key : keys) {
            random.nextBytes(key);
        }
    }

    private byte[] key() {
        next = (next + 1) & (KEYS - 1);
        return keys[next];
    }

    @Benchmark
    public int owner() {
        return placement.owner(key());
    }

    @Benchmark
    public int[] preferenceList() {
        return placement.preferenceList(key(), REPLICAS);
    }
}
