package dht.storage.lsm;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Generates random steps that are likely to find mistakes: few keys, so that there are several
 * versions of a key; few stamps, so that stamps are equal; and a clock that goes back, so that
 * newer versions are written before older ones.
 */
final class StepGenerator {
    static final int CURSORS = 3;

    private static final List<String> KEYS =
            List.of(
                    "\0",
                    "a",
                    "a\0",
                    "a\u0080",
                    "aa",
                    "b",
                    "prefix-of-many",
                    "prefix-of-many\0",
                    "prefix-of-many-keys",
                    "\u007f",
                    "\u0080",
                    "\u00ff",
                    "\u00ff\u00ff",
                    "k".repeat(1024));
    private static final List<String> VALUES =
            List.of(
                    "",
                    "\0",
                    "v",
                    "w",
                    "ww",
                    "\u0080",
                    "\u00ff",
                    "x".repeat(300),
                    "y".repeat(5000));

    private final SplittableRandom random;
    private final List<String> keys;
    private long nowMillis = Model.START_MILLIS;

    StepGenerator(SplittableRandom random) {
        this.random = random;
        this.keys = Stream.generate(() -> oneOf(KEYS)).limit(random.nextInt(1, 9)).toList();
    }

    List<Step> steps(int count) {
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            steps.add(step());
        }
        return steps;
    }

    private Step step() {
        int dice = random.nextInt(100);
        if (dice < 40) {
            return new Step.Write(oneOf(keys), oneOf(VALUES), stamp());
        } else if (dice < 52) {
            return new Step.Write(oneOf(keys), null, stamp());
        } else if (dice < 65) {
            return new Step.Get(oneOf(keys));
        } else if (dice < 73) {
            return new Step.Open(random.nextInt(CURSORS), bound(), bound());
        } else if (dice < 78) {
            return new Step.Advance(random.nextInt(CURSORS), random.nextInt(1, 4));
        } else if (dice < 82) {
            return new Step.Finish(random.nextInt(CURSORS));
        } else if (dice < 88) {
            return new Step.Flush();
        } else if (dice < 92) {
            return new Step.Compact();
        } else if (dice < 94) {
            return new Step.Reopen();
        }
        nowMillis = Math.max(0, nowMillis + random.nextInt(-8, 12));
        return new Step.Time(nowMillis);
    }

    private <T> T oneOf(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    /** Mostly of now, in few microseconds; some are late. */
    private long stamp() {
        long lateMillis = random.nextInt(4) == 0 ? random.nextInt(20) : 0;
        return 1000 * Math.max(0, nowMillis - lateMillis) + random.nextInt(2);
    }

    private String bound() {
        int dice = random.nextInt(10);
        return dice < 3 ? null : dice < 4 ? "" : oneOf(KEYS);
    }
}
