package dht.benchmarks.wall;

import static org.assertj.core.api.Assertions.assertThat;

import dht.benchmarks.wall.RecordedWork.Stretch;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class WorkByThreadTest {
    private static final long THREAD = 31;
    private static final RecordingClock CLOCK = new RecordingClock(0, 0, 1_000_000_000);

    @Test
    void stretch_containsItsBeginning_andNotItsEnd() {
        assertThat(within(new Stretch(THREAD, 10, 13))).containsExactly(10, 11, 12);
    }

    @Test
    void stretches_overlapOrTouch_countAsOne() {
        assertThat(
                        within(
                                new Stretch(THREAD, 4, 6),
                                new Stretch(THREAD, 6, 8),
                                new Stretch(THREAD, 2, 3),
                                new Stretch(THREAD, 5, 7)))
                .containsExactly(2, 4, 5, 6, 7);
    }

    @Test
    void stretch_withinAnother_doesNotEndIt() {
        assertThat(within(new Stretch(THREAD, 1, 5), new Stretch(THREAD, 2, 3)))
                .containsExactly(1, 2, 3, 4);
    }

    @Test
    void stretch_ofAnotherThread_orWithoutLength_containsNothing() {
        assertThat(within(new Stretch(THREAD + 1, 0, 20), new Stretch(THREAD, 5, 5))).isEmpty();
    }

    /** Of the moments from 0 to 19, those at which the thread worked. */
    private static long[] within(Stretch... stretches) {
        WorkByThread work = new WorkByThread(List.of(stretches), CLOCK);
        return LongStream.range(0, 20).filter(ticks -> work.contains(THREAD, ticks)).toArray();
    }
}
