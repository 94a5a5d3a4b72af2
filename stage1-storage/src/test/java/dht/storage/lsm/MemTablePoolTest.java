package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.Dao;
import dht.storage.Durability;
import dht.storage.FastTempDir;
import dht.storage.TestOptions;
import dht.storage.TextDao;
import dht.storage.file.LocalDirectory;
import dht.storage.file.StorageDirectory;
import dht.storage.simulation.UnreservedDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the logs that the pool makes for memtables of different sizes. */
@Timeout(60)
class MemTablePoolTest {
    private static final int WRITES = 60;
    private static final String VALUE = "x".repeat(30_000); // All writes together: 1.8 MB.

    /** With smaller steps, or steps between them, blocks that ext4 has reserved may be missing. */
    private static final long STEP_BYTES = 64 << 10;

    @TempDir(factory = FastTempDir.class)
    private Path path;

    /** The sizes are small, no multiple of a step, and so large that a step has its upper bound. */
    @ParameterizedTest
    @ValueSource(ints = {1, 100_000, 1_500_000, 20_000_000})
    void log_ofAMemTableOfAnySize_isReservedInAlignedSteps(int memTableBytes) throws IOException {
        Queue<Long> reserved = new ConcurrentLinkedQueue<>();
        StorageDirectory directory =
                new UnreservedDirectory(
                        LocalDirectory.open(path),
                        upToBytes -> {
                            reserved.add(upToBytes);
                            return false;
                        });
        var options = TestOptions.small().memTableBytes(memTableBytes).durability(Durability.OS);
        TextDao dao = new TextDao(LsmDao.open(directory, options.build()));
        try (Dao _ = dao.dao()) {
            for (int i = 0; i < WRITES; i++) {
                dao.put("key" + i, VALUE, 1 + i);
            }
        }

        assertThat(reserved)
                .hasSizeGreaterThanOrEqualTo(2)
                .allSatisfy(upToBytes -> assertThat(upToBytes % STEP_BYTES).isZero());
    }
}
