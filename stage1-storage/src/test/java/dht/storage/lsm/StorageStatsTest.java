package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.FastTempDir;
import dht.storage.TestOptions;
import dht.storage.TextDao;
import dht.storage.file.LocalDirectory;
import dht.storage.simulation.Hook;
import dht.storage.simulation.HookedDirectory;
import dht.storage.simulation.Operation.Kind;
import dht.testkit.concurrent.ClientThreads;
import dht.testkit.concurrent.Deadline;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that an engine tells its statistics also while its disk does not answer. */
@Timeout(60)
class StorageStatsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @TempDir(factory = FastTempDir.class)
    private Path path;

    private final CountDownLatch waits = new CountDownLatch(1);
    private final CountDownLatch mayGoOn = new CountDownLatch(1);
    private volatile boolean isSlow;

    private Hook slowManifest() {
        return operation -> {
            if (isSlow && operation.kind() == Kind.SYNC_FILE && isManifest(operation.name())) {
                waits.countDown();
                await(mayGoOn);
            }
        };
    }

    private static boolean isManifest(String name) {
        return name.startsWith("MANIFEST");
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    @Test
    void stats_whileAManifestIsSynced_doNotWait() throws Exception {
        var directory = new HookedDirectory(LocalDirectory.open(path), slowManifest());
        try (LsmDao dao = LsmDao.open(directory, TestOptions.small().build())) {
            TextDao text = new TextDao(dao);
            text.put("a", "1", 1);
            isSlow = true;
            try (var flush = ClientThreads.start(1, _ -> text.flush());
                    Closeable _ = mayGoOn::countDown) {
                Deadline.in(PATIENCE).await("a sync of the manifest", waits);

                StorageStats stats =
                        CompletableFuture.supplyAsync(dao::stats)
                                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

                assertThat(stats.tableCount()).isZero();
                mayGoOn.countDown();
                flush.join(PATIENCE);
                assertThat(dao.stats().tableCount()).isOne();
            }
        }
    }
}
