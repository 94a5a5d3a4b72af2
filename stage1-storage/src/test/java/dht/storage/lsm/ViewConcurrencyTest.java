package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.Durability;
import dht.storage.EntryCursor;
import dht.storage.StorageOptions;
import dht.storage.TestOptions;
import dht.storage.TextDao;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Threads read while others write, flush and merge. */
@Timeout(60)
class ViewConcurrencyTest {
    private static final int ROUNDS = 3000;

    /** A view is of the moment when it was opened: what is read later is never older. */
    @ParameterizedTest
    @EnumSource
    void cursor_openedBeforeARead_isNeverAheadOfIt(Durability durability) throws Exception {
        StorageOptions options = TestOptions.small().durability(durability).build();
        try (SimulatedEngine engine = new SimulatedEngine(options)) {
            whileWriting(
                    engine.dao(),
                    () -> {
                        for (int i = 0; i < ROUNDS; i++) {
                            try (EntryCursor cursor = engine.dao().cursor(null, null)) {
                                long read = stamp(engine.dao().get("a"));
                                List<String> seen = TextDao.rest(cursor);

                                assertThat(seen.isEmpty() ? 0 : stamp(seen.getFirst()))
                                        .isLessThanOrEqualTo(read);
                            }
                        }
                    });
        }
    }

    /** Each write of a is followed by one of b: a view may lack the last b, and nothing else. */
    @ParameterizedTest
    @EnumSource
    void cursor_writesInOrder_isAPrefixOfThem(Durability durability) throws Exception {
        StorageOptions options = TestOptions.small().durability(durability).build();
        try (SimulatedEngine engine = new SimulatedEngine(options)) {
            whileWriting(
                    engine.dao(),
                    () -> {
                        for (int i = 0; i < ROUNDS; i++) {
                            List<String> seen = engine.dao().all();
                            if (seen.size() == 2) {
                                long a = stamp(seen.get(0));
                                assertThat(stamp(seen.get(1))).isBetween(a - 1, a + 1);
                            }
                        }
                    });
        }
    }

    private static long stamp(String entry) {
        return entry.equals("absent") ? 0 : Long.parseLong(entry.substring(entry.indexOf('@') + 1));
    }

    private interface Reading {
        void run() throws Exception;
    }

    private static void whileWriting(TextDao dao, Reading reading) throws Exception {
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread writer =
                Thread.ofPlatform()
                        .uncaughtExceptionHandler((_, e) -> failure.set(e))
                        .start(
                                () -> {
                                    for (long stamp = 1; !isOver.get(); stamp += 2) {
                                        dao.put("a", "value", stamp);
                                        dao.put("b", "value", stamp + 1);
                                    }
                                });
        try {
            reading.run();
        } finally {
            isOver.set(true);
            writer.join();
        }
        assertThat(failure.get()).isNull();
    }
}
