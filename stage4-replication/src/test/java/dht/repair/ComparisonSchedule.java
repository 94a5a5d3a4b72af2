package dht.repair;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.allocation.Allocations;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;

/**
 * Two nodes with different versions are compared while allocations fail. A comparison may break
 * off, but each version that it has sent is one that a client wrote. It closes its cursors, because
 * an open one would keep old versions on the disk. When there is memory again, the next comparison
 * does what is left.
 */
final class ComparisonSchedule implements LongConsumer {
    private static final int KEYS = 200;
    private static final int COMPARISONS = 8;

    /** Of the allocations of one comparison, so that most of the comparisons break off. */
    private static final int ALLOCATIONS_MAX = 6_000;

    private ComparedPair pair;
    private String[] newest;

    @Override
    public void accept(long seed) {
        Allocations.heal();
        pair = new ComparedPair();
        newest = new String[KEYS];
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < KEYS; i++) {
            storeSomething(random, i);
        }
        try {
            for (int i = 0; i < COMPARISONS; i++) {
                compareWithoutMemory(random);
                assertThat(pair.first.openCursorCount() + pair.second.openCursorCount()).isZero();
            }
            pair.compare();
            for (int i = 0; i < KEYS; i++) {
                assertThat(version(pair.first, i)).isEqualTo(newest[i]);
                assertThat(version(pair.second, i)).isEqualTo(newest[i]);
            }
            assertThat(pair.compare()).isZero();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            Allocations.heal();
        }
    }

    private void storeSomething(SplittableRandom random, int i) {
        int versionCount = random.nextInt(1, 4);
        for (int stamp = 1; stamp <= versionCount; stamp++) {
            String value = random.nextInt(4) == 0 ? null : "v" + stamp;
            int where = random.nextInt(3);
            if (where != 0) {
                store(pair.first, i, value, stamp);
            }
            if (where != 1) {
                store(pair.second, i, value, stamp);
            }
            newest[i] = value + "@" + stamp;
        }
    }

    private void store(MapDao dao, int i, String value, int stamp) {
        pair.store(dao, key(i), value == null ? null : value.getBytes(UTF_8), stamp, 0);
    }

    private void compareWithoutMemory(SplittableRandom random)
            throws IOException, InterruptedException {
        Allocations.fail(random.nextInt(ALLOCATIONS_MAX), random.nextInt(1, 4));
        try {
            pair.compareSome();
        } catch (OutOfMemoryError _) {
            // The next comparison begins anew.
        } finally {
            Allocations.heal();
        }
    }

    private static String version(MapDao dao, int i) {
        MapDao.Stored stored = dao.stored(key(i));
        String value = stored.value() == null ? null : new String(stored.value(), UTF_8);
        return value + "@" + stored.timestampMicros();
    }

    private static byte[] key(int i) {
        return "key-%06d".formatted(i).getBytes(UTF_8);
    }
}
