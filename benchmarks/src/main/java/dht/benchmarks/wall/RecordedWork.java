package dht.benchmarks.wall;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import one.jfr.JfrReader;
import one.jfr.event.Event;

/**
 * What an event {@code dht.Request} says about threads: which of them worked for the request, and
 * when. The reader of recordings makes it. {@link #time} is in ticks of the recording's clock.
 * Immutable.
 */
public final class RecordedWork extends Event {
    static final String EVENT = "dht.Request";

    private final String numbers;
    private final List<Stretch> stretches;
    private final Stretch queued; // Null if it was in no queue.

    /**
     * A stretch of time in which one thread worked for the request.
     *
     * @param thread as {@link Thread#threadId} has it
     * @param begunTicks inclusive
     * @param endedTicks exclusive
     */
    record Stretch(long thread, long begunTicks, long endedTicks) {}

    /** Reads the fields in the order in which {@code dht.http.RequestEvent} has them. */
    public RecordedWork(JfrReader jfr) {
        super(jfr.getVarlong(), 0, 0);
        jfr.getVarlong(); // duration
        jfr.getVarint(); // eventThread
        jfr.getVarint(); // stackTrace: none
        jfr.getString(); // stage
        jfr.getString(); // node
        numbers = String.valueOf(jfr.getString());
        jfr.getString(); // kind
        jfr.getVarint(); // status
        final long queuedNanos = jfr.getVarlong();
        final long begunNanos = jfr.getVarlong();
        jfr.getVarlong(); // stored
        jfr.getVarlong(); // answered
        jfr.getString(); // calls
        RecordingClock clock = RecordingClock.of(jfr);
        stretches = stretches(String.valueOf(jfr.getString()), time, clock);
        queued = queued(time + clock.ticks(queuedNanos), time + clock.ticks(begunNanos), stretches);
    }

    /** The numbers of the clients' requests that it is about. */
    List<Long> numbers() {
        List<Long> found = new ArrayList<>();
        for (String number : numbers.split(",")) {
            if (!number.isEmpty()) {
                found.add(Long.valueOf(number));
            }
        }
        return found;
    }

    List<Stretch> stretches() {
        return stretches;
    }

    /**
     * The time in which it waited for a thread of an executor, and the thread that took it; empty
     * if it waited for none.
     */
    Optional<Stretch> queued() {
        return Optional.ofNullable(queued);
    }

    private static Stretch queued(long fromTicks, long untilTicks, List<Stretch> stretches) {
        return stretches.stream()
                .filter(each -> each.begunTicks() == untilTicks && fromTicks < untilTicks)
                .findFirst()
                .map(each -> new Stretch(each.thread(), fromTicks, untilTicks))
                .orElse(null);
    }

    private static List<Stretch> stretches(String text, long startTicks, RecordingClock clock) {
        List<Stretch> found = new ArrayList<>();
        for (String each : text.split(";")) {
            String[] words = each.split(" ");
            if (words.length == 3) {
                long begun = startTicks + clock.ticks(Long.parseLong(words[1]));
                long ended = startTicks + clock.ticks(Long.parseLong(words[2]));
                found.add(new Stretch(Long.parseLong(words[0]), begun, ended));
            }
        }
        return found;
    }
}
