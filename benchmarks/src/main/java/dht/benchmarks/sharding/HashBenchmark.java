package dht.benchmarks.sharding;

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

/** How long it takes to hash a key. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class HashBenchmark {
    private static final int KEYS = 1 << 10;

    @Param public KeyHash hash;

    @Param({"16", "256"})
    public int keyBytes;

    private byte[][] keys;
    private int next;

    @Setup
    public void make() {
        keys = new byte[KEYS][keyBytes];
        SplittableRandom random = new SplittableRandom(1);
        for (byte[] key : keys) {
            random.nextBytes(key);
        }
    }

    @Benchmark
    public long hash() {
        next = (next + 1) & (KEYS - 1);
        return hash.of(keys[next]);
    }
}
