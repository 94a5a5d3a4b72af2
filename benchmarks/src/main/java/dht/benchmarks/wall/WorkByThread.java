package dht.benchmarks.wall;

import dht.benchmarks.wall.RecordedWork.Stretch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** When each thread worked for requests, or could have. Immutable. */
final class WorkByThread {
    /** By thread: beginnings and ends in turn, in order of time, without overlaps. */
    private final Map<Long, long[]> bounds = new HashMap<>();

    private final RecordingClock clock;

    WorkByThread(List<Stretch> stretches, RecordingClock clock) {
        this.clock = clock;
        Map<Long, List<Stretch>> byThread = new HashMap<>();
        for (Stretch each : stretches) {
            byThread.computeIfAbsent(each.thread(), thread -> new ArrayList<>()).add(each);
        }
        byThread.forEach((thread, of) -> bounds.put(thread, merged(of)));
    }

    static WorkByThread none(RecordingClock clock) {
        return new WorkByThread(List.of(), clock);
    }

    /** The clock of the moments. */
    RecordingClock clock() {
        return clock;
    }

    /** Whether this moment is in one of the thread's stretches. */
    boolean contains(long thread, long ticks) {
        long[] of = bounds.get(thread);
        if (of == null) {
            return false;
        }
        int index = Arrays.binarySearch(of, ticks);
        int passed = index < 0 ? -index - 1 : index + 1; // Bounds up to this moment.
        return passed % 2 == 1;
    }

    private static long[] merged(List<Stretch> stretches) {
        stretches.sort(Comparator.comparingLong(Stretch::begunTicks));
        long[] found = new long[2 * stretches.size()];
        int count = 0;
        for (Stretch each : stretches) {
            if (each.endedTicks() <= each.begunTicks()) {
                continue;
            }
            if (count > 0 && each.begunTicks() <= found[count - 1]) {
                found[count - 1] = Math.max(found[count - 1], each.endedTicks());
            } else {
                found[count++] = each.begunTicks();
                found[count++] = each.endedTicks();
            }
        }
        return Arrays.copyOf(found, count);
    }
}
