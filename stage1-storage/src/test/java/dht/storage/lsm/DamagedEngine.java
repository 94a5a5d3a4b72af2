package dht.storage.lsm;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.CorruptionException;
import dht.storage.StorageException;
import dht.storage.StorageOptions;
import dht.storage.TextDao;
import dht.storage.simulation.DiskImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * An engine with one damaged file. Its answers must be either right, or an error that names the
 * file and an offset in it.
 */
final class DamagedEngine {
    private final StorageOptions options;
    private final Map<String, String> right;
    private final String file;

    /**
     * @param right what each key is, as {@link TextDao#get} says it
     * @param file the one that is damaged
     */
    DamagedEngine(StorageOptions options, Map<String, String> right, String file) {
        this.options = options;
        this.right = right;
        this.file = file;
    }

    /** What each of these keys is. */
    static Map<String, String> valuesOf(List<String> keys, TextDao dao) {
        Map<String, String> values = new TreeMap<>();
        keys.forEach(key -> values.put(key, dao.get(key)));
        return values;
    }

    /**
     * Starts an engine on a damaged image, reads everything, has it flushed and merged, and reads
     * everything once more. Answers whether the damage was noticed.
     */
    boolean check(DiskImage image) {
        List<CorruptionException> noticed = new ArrayList<>();
        SimulatedEngine engine = attempt(() -> SimulatedEngine.start(image, options), noticed);
        if (engine != null) {
            try (engine) {
                read(engine.dao(), noticed);
                attempt(engine.dao()::flush, noticed);
                attempt(engine.dao()::compact, noticed);
                read(engine.dao(), noticed);
            }
        }
        for (CorruptionException e : noticed) {
            assertThat(e.file()).as("file that is damaged").isEqualTo(file);
            assertThat(e.offsetBytes()).as("offset in it").isBetween(0L, image.size(file));
        }
        return !noticed.isEmpty();
    }

    private void read(TextDao dao, List<CorruptionException> noticed) {
        right.forEach(
                (key, value) -> {
                    String found = attempt(() -> dao.get(key), noticed);
                    if (found != null) {
                        checkSame(key, found, value);
                    }
                });
        List<String> all = attempt(dao::all, noticed);
        if (all != null) {
            assertThat(all).isEqualTo(live());
        }
    }

    /** A tombstone may be gone. */
    private static void checkSame(String key, String found, String value) {
        boolean isGone = value.startsWith("deleted") && found.equals("absent");
        if (!isGone) {
            assertThat(found).as(key).isEqualTo(value);
        }
    }

    private List<String> live() {
        List<String> live = new ArrayList<>();
        right.forEach(
                (key, value) -> {
                    if (!value.equals("absent") && !value.startsWith("deleted")) {
                        live.add(key + "=" + value);
                    }
                });
        return live;
    }

    private static void attempt(Runnable action, List<CorruptionException> noticed) {
        Object unused =
                attempt(
                        () -> {
                            action.run();
                            return "";
                        },
                        noticed);
    }

    /** Answers null if damage was noticed. */
    private static <T> T attempt(Supplier<T> action, List<CorruptionException> noticed) {
        try {
            return action.get();
        } catch (CorruptionException e) {
            noticed.add(e);
        } catch (StorageException e) {
            if (!(e.getCause() instanceof CorruptionException cause)) {
                throw e;
            }
            noticed.add(cause);
        }
        return null;
    }
}
