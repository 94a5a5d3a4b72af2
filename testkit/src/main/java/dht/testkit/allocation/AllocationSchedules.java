package dht.testkit.allocation;

import java.util.function.LongConsumer;

/**
 * Runs random schedules in which allocations fail. The property {@code dht.seed} sets the first
 * seed.
 *
 * <p>Stateless and thread-safe.
 */
public final class AllocationSchedules {
    private static final int SOME = 10;

    private AllocationSchedules() {}

    /** Runs schedules: as many as the property {@code dht.schedules} says, or a few by default. */
    public static void runSome(Class<?> hooked, Class<? extends LongConsumer> schedule)
            throws Exception {
        runSome(new AllocationLoader(hooked), schedule);
    }

    /** The same, with a loader that may change several folders or jars. */
    public static void runSome(AllocationLoader loader, Class<? extends LongConsumer> schedule)
            throws Exception {
        run(loader, schedule, Integer.getInteger("dht.schedules", SOME));
    }

    /**
     * Runs schedules with consecutive seeds. If one fails, the error says how to run it again.
     *
     * @param hooked one of the classes whose allocations fail; see {@link AllocationLoader}
     * @param schedule takes a seed, runs its schedule, and throws if the outcome is wrong
     */
    public static void run(
            Class<?> hooked, Class<? extends LongConsumer> schedule, int scheduleCount)
            throws Exception {
        run(new AllocationLoader(hooked), schedule, scheduleCount);
    }

    /**
     * The same, with a loader that may change several folders or jars. One object runs all
     * schedules; if it is {@link AutoCloseable}, it is closed at the end.
     */
    public static void run(
            AllocationLoader loader, Class<? extends LongConsumer> schedule, int scheduleCount)
            throws Exception {
        LongConsumer loaded = loader.newScenario(schedule);
        try (AutoCloseable _ = loaded instanceof AutoCloseable resource ? resource : null) {
            run(loaded, scheduleCount);
        }
    }

    private static void run(LongConsumer loaded, int scheduleCount) {
        long firstSeed = Long.getLong("dht.seed", System.nanoTime());
        for (long seed = firstSeed; seed < firstSeed + scheduleCount; seed++) {
            try {
                loaded.accept(seed);
            } catch (RuntimeException | Error e) {
                throw new AssertionError(
                        "failed with -Ddht.schedules=1 -Ddht.seed=%d: %s".formatted(seed, e), e);
            }
        }
    }
}
