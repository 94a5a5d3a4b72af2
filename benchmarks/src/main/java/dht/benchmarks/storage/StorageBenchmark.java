package dht.benchmarks.storage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Point reads, writes and short ranges on a store of {@code entries} entries of 128 bytes, with
 * uniformly random keys, for the engine of stage 1 and two others.
 *
 * <p>Reads run on a store that was flushed and compacted; writes on one that flushes and compacts
 * meanwhile.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 5, time = 3)
@Fork(
        value = 1,
        jvmArgsAppend = {
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-Xms2g",
            "-Xmx2g"
        })
public class StorageBenchmark {
    private static final int VALUE_BYTES = 128;
    private static final int RANGE_ENTRIES = 100;
    private static final int KEY_DIGITS = 9;

    @Param private Engine.Kind engine;

    @Param("1000000")
    private int entries;

    private Path directory;
    private Engine store;

    /** Random keys of one benchmark thread. */
    @State(Scope.Thread)
    public static class Keys {
        private final SplittableRandom random = new SplittableRandom();
        private final byte[] value = new byte[VALUE_BYTES];
        private final byte[] key = "key000000000".getBytes(StandardCharsets.US_ASCII);
        private final byte[] missing = "key000000000x".getBytes(StandardCharsets.US_ASCII);

        /** Of an entry that is there. */
        byte[] existing(int entries) {
            return write(random.nextInt(entries), key.clone());
        }

        /** Of one that is not, but lies between two that are. */
        byte[] missing(int entries) {
            return write(random.nextInt(entries), missing.clone());
        }

        byte[] value() {
            random.nextBytes(value);
            return value;
        }

        private static byte[] write(int number, byte[] key) {
            int rest = number;
            for (int i = 2 + KEY_DIGITS; i > 2; i--) {
                key[i] = (byte) ('0' + rest % 10);
                rest /= 10;
            }
            return key;
        }
    }

    @Setup(Level.Trial)
    public void fill() throws IOException {
        directory = Files.createTempDirectory("storage-benchmark");
        store = engine.open(directory.resolve(engine.name().toLowerCase(Locale.ROOT)));
        Keys keys = new Keys();
        for (int i = 0; i < entries; i++) {
            store.put(Keys.write(i, keys.key.clone()), keys.value().clone());
        }
        store.settle();
    }

    @TearDown(Level.Trial)
    public void delete() throws IOException {
        store.close();
        Directories.delete(directory);
    }

    @Benchmark
    public byte[] getHit(Keys keys) throws IOException {
        byte[] value = store.get(keys.existing(entries));
        if (value == null) {
            throw new IllegalStateException("an entry is missing");
        }
        return value;
    }

    @Benchmark
    public byte[] getMiss(Keys keys) throws IOException {
        return store.get(keys.missing(entries));
    }

    @Benchmark
    public void put(Keys keys) throws IOException {
        store.put(keys.existing(entries), keys.value().clone());
    }

    @Benchmark
    public long range100(Keys keys) throws IOException {
        return store.range(keys.existing(entries), RANGE_ENTRIES);
    }
}
