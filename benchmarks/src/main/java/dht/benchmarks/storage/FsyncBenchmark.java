package dht.benchmarks.storage;

import dht.storage.Durability;
import dht.storage.StorageOptions;
import dht.storage.file.LocalDirectory;
import dht.storage.lsm.LsmDao;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.ThreadParams;

/** Writes of many threads that each wait for an fsync: how many share one. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 3)
@Measurement(iterations = 5, time = 3)
@Threads(64)
@Fork(
        value = 1,
        jvmArgsAppend = {
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow"
        })
public class FsyncBenchmark {
    private static final int VALUE_BYTES = 128;

    private Path directory;
    private LsmDao dao;

    @Setup(Level.Trial)
    public void open() throws IOException {
        directory = Files.createTempDirectory("fsync-benchmark");
        dao =
                LsmDao.open(
                        LocalDirectory.open(directory),
                        StorageOptions.builder().durability(Durability.FSYNC).build());
    }

    @TearDown(Level.Trial)
    public void delete() throws IOException {
        dao.close();
        Directories.delete(directory);
    }

    /** What one thread writes, and what all together sync. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Writer {
        public long writes;
        public long syncs;

        private final SplittableRandom random = new SplittableRandom();
        private final MemorySegment value = MemorySegment.ofArray(new byte[VALUE_BYTES]);
        private long syncsBefore;

        @Setup(Level.Iteration)
        public void begin(FsyncBenchmark benchmark) {
            writes = 0;
            syncs = 0;
            syncsBefore = benchmark.dao.stats().syncCount();
        }

        @TearDown(Level.Iteration)
        public void end(FsyncBenchmark benchmark, ThreadParams thread) {
            if (thread.getThreadIndex() == 0) { // The counters of all threads are added up.
                syncs = benchmark.dao.stats().syncCount() - syncsBefore;
            }
        }
    }

    @Benchmark
    public void put(Writer writer) {
        byte[] key = ("key" + writer.random.nextInt(1_000_000)).getBytes(StandardCharsets.UTF_8);
        dao.upsert(key, writer.value, ++writer.writes);
    }
}
