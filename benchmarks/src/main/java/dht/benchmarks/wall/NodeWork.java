package dht.benchmarks.wall;

import dht.benchmarks.wall.RecordedWork.Stretch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import one.jfr.JfrReader;

/**
 * What the threads of one node had to do with certain requests.
 *
 * @param served when a thread worked for one of the requests
 * @param queued when one of the requests waited for a thread of the executor: of each of the
 *     executor's threads, since each of them could have taken it
 */
record NodeWork(WorkByThread served, WorkByThread queued) {
    /**
     * @param recording a flight recording with events {@code dht.Request}
     * @param numbers of the requests
     */
    static NodeWork read(Path recording, Set<Long> numbers) throws IOException {
        List<Stretch> served = new ArrayList<>();
        List<Stretch> queued = new ArrayList<>();
        Set<Long> executor = new HashSet<>();
        try (JfrReader jfr = new JfrReader(recording.toString())) {
            RecordingClock clock = RecordingClock.of(jfr);
            jfr.registerEvent(RecordedWork.EVENT, RecordedWork.class);
            for (RecordedWork work; (work = jfr.readEvent(RecordedWork.class)) != null; ) {
                work.queued().ifPresent(each -> executor.add(each.thread()));
                if (work.numbers().stream().anyMatch(numbers::contains)) {
                    served.addAll(work.stretches());
                    work.queued().ifPresent(queued::add);
                }
            }
            return new NodeWork(
                    new WorkByThread(served, clock),
                    new WorkByThread(ofEach(executor, queued), clock));
        }
    }

    private static List<Stretch> ofEach(Set<Long> threads, List<Stretch> stretches) {
        List<Stretch> found = new ArrayList<>();
        for (long thread : threads) {
            for (Stretch each : stretches) {
                found.add(new Stretch(thread, each.begunTicks(), each.endedTicks()));
            }
        }
        return found;
    }
}
