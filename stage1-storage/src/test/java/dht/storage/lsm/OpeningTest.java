package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.Dao;
import dht.storage.FastTempDir;
import dht.storage.OtherProcess;
import dht.storage.StorageOptions;
import dht.storage.TestOptions;
import dht.storage.TextDao;
import dht.storage.file.LocalDirectory;
import dht.storage.simulation.Hook;
import dht.storage.simulation.HookedDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests what an engine leaves behind that could not be opened: nothing that keeps its directory
 * from being opened again. The directory is a real one, because only that has a lock.
 */
@Timeout(60)
class OpeningTest {
    private static final StorageOptions OPTIONS = TestOptions.small().build();

    @TempDir(factory = FastTempDir.class)
    private Path path;

    /** A table, and a log with an entry that is in no table. */
    private void fill() throws IOException {
        LsmDao.Timing neverFlushedOnClose = new LsmDao.Timing(1, Duration.ZERO);
        TextDao dao =
                new TextDao(LsmDao.open(LocalDirectory.open(path), OPTIONS, neverFlushedOnClose));
        try (Dao _ = dao.dao()) {
            dao.put("a", "1", 1);
            dao.flush();
            dao.put("b", "2", 2);
        }
    }

    /**
     * @param number of the operation that fails, counted from 0; only those of the thread that
     *     opens count
     */
    private LsmDao openFailingIn(int number) throws IOException {
        Thread opening = Thread.currentThread();
        AtomicInteger left = new AtomicInteger(number);
        Hook hook =
                operation -> {
                    if (Thread.currentThread() == opening && left.getAndDecrement() == 0) {
                        throw new OutOfMemoryError("made to fail: " + operation);
                    }
                };
        try {
            return LsmDao.open(new HookedDirectory(LocalDirectory.open(path), hook), OPTIONS);
        } finally {
            left.set(Integer.MAX_VALUE); // Closing does not fail.
        }
    }

    @Test
    void open_errorInAnyOperation_releasesTheDirectory() throws IOException {
        fill();
        int failures = 0;
        boolean isOpened = false;
        while (!isOpened) {
            try (Dao _ = openFailingIn(failures)) {
                isOpened = true;
            } catch (OutOfMemoryError e) {
                assertThat(e).hasMessageStartingWith("made to fail: ");
                failures++;
                LocalDirectory.open(path).close();
            }
        }

        assertThat(failures).isGreaterThan(5);
        TextDao dao = new TextDao(LsmDao.open(LocalDirectory.open(path), OPTIONS));
        try (Dao _ = dao.dao()) {
            assertThat(dao.all()).containsExactly("a=1@1", "b=2@2");
        }
    }

    @Test
    void open_error_letsAnotherProcessOpenTheDirectory() throws Exception {
        fill();
        assertThatThrownBy(() -> openFailingIn(0)).isInstanceOf(OutOfMemoryError.class);

        assertThat(OtherProcess.run(OpeningTest.class, path.toString())).isEqualTo("opened");
    }

    /** What the other process does: tells whether it got the directory. */
    public static void main(String[] args) {
        try (Dao _ = LsmDao.open(LocalDirectory.open(Path.of(args[0])), OPTIONS)) {
            System.out.println("opened");
        } catch (IOException e) {
            System.out.println(e.getMessage());
        }
    }
}
