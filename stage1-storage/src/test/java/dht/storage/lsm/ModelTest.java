package dht.storage.lsm;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.Durability;
import dht.storage.StorageOptions;
import dht.storage.TestOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Applies random steps to an engine and to a model, and compares their answers. A failure prints
 * its seed, which {@code -Ddht.seed=…} repeats, and the shortest list of steps that still fails.
 */
@Timeout(120)
class ModelTest {
    private static final int STEPS = 150;
    private static final int FIXED_SEEDS = 3;
    private static final List<Duration> GRACES =
            List.of(Duration.ZERO, Duration.ofMillis(10), Duration.ofDays(1));

    /** Options are made anew for each run. */
    private interface Setup {
        StorageOptions.Builder options();
    }

    @ParameterizedTest
    @EnumSource
    void steps_random_matchTheModel(Durability durability) {
        check(() -> TestOptions.small().durability(durability));
    }

    @ParameterizedTest
    @EnumSource
    void steps_hostileOptions_matchTheModel(Durability durability) {
        check(() -> TestOptions.hostile().durability(durability));
    }

    /** Newer tables are merged, and older ones are not. */
    @ParameterizedTest
    @EnumSource
    void steps_smallMerges_matchTheModel(Durability durability) {
        check(() -> TestOptions.small().durability(durability).compactionFanIn(2).blockBytes(64));
    }

    private static void check(Setup setup) {
        for (long seed : seeds()) {
            check(seed, setup);
        }
    }

    private static long[] seeds() {
        String wanted = System.getProperty("dht.seed");
        return wanted != null
                ? new long[] {Long.parseLong(wanted)}
                : LongStream.concat(
                                LongStream.range(0, FIXED_SEEDS),
                                LongStream.of(ThreadLocalRandom.current().nextLong()))
                        .toArray();
    }

    private static void check(long seed, Setup setup) {
        SplittableRandom random = new SplittableRandom(seed);
        Duration grace = GRACES.get(random.nextInt(GRACES.size()));
        List<Step> steps = new StepGenerator(random).steps(STEPS);
        Throwable failure = failure(steps, setup, grace);
        if (failure == null) {
            return;
        }
        AtomicReference<Throwable> last = new AtomicReference<>(failure);
        List<Step> fewest =
                Shrinker.shrink(
                        steps,
                        it -> {
                            Throwable again = failure(it, setup, grace);
                            last.updateAndGet(before -> again == null ? before : again);
                            return again != null;
                        });
        throw new AssertionError(
                "-Ddht.seed=%d with %s%n%s%n%s"
                        .formatted(
                                seed,
                                setup.options().tombstoneGrace(grace).build(),
                                fewest.stream().map(Step::toString).collect(joining("\n")),
                                last),
                last.get());
    }

    /** Answers null if there is none. */
    private static Throwable failure(List<Step> steps, Setup setup, Duration grace) {
        try {
            ModelRun.run(steps, setup.options(), grace);
            return null;
        } catch (IOException | RuntimeException | AssertionError e) {
            return e;
        }
    }

    @Test
    void shrinker_twoElementsMatter_leavesThem() {
        List<Integer> list = LongStream.range(0, 100).mapToObj(it -> (int) it).toList();

        assertThat(Shrinker.shrink(list, it -> it.contains(17) && it.contains(71)))
                .containsExactly(17, 71);
    }

    /** An engine that had forgotten a write, or kept one too many, would be found out. */
    @Test
    void model_otherAnswer_isRejected() {
        Model model = new Model(Duration.ofDays(1).toMillis() * 1000);
        model.write(new Step.Write("a", "v", 10));
        model.write(new Step.Write("a", null, 20));
        model.write(new Step.Write("a", "late", 15));

        model.checkGet("a", "deleted@20");
        for (String wrong : List.of("absent", "v@10", "late@15", "deleted@15")) {
            assertThatThrownBy(() -> model.checkGet("a", wrong))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("should be [\"deleted@20\"]");
        }
    }
}
