package dht.stage5;

import dht.testkit.concurrent.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * A request that a server in this JVM has recorded as an event, with its times in nanoseconds since
 * the request was read; -1 for a point that it has not passed. Immutable.
 *
 * @param node the URL of the node that has recorded it
 * @param numbers the numbers of the requests that it is about
 * @param calls the requests to other nodes
 * @param work which threads worked for it
 */
record RecordedRequest(
        String node,
        List<String> numbers,
        String kind,
        int status,
        long queued,
        long begun,
        long stored,
        long answered,
        long written,
        List<Call> calls,
        List<Work> work) {
    private static final String EVENT = "dht.Request";
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /**
     * A request to another node.
     *
     * @param node its URL
     * @param outcome how it ended; {@code -} if it had not ended when the answer was written
     */
    record Call(String node, long begun, long ended, String outcome) {
        private static Call of(String text) {
            String[] words = text.split(" ");
            return new Call(words[0], Long.parseLong(words[1]), Long.parseLong(words[2]), words[3]);
        }
    }

    /** A stretch of time in which one thread worked for the request. */
    record Work(long thread, long begun, long ended) {
        private static Work of(String text) {
            String[] words = text.split(" ");
            return new Work(
                    Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
        }

        boolean contains(long nanos) {
            return begun <= nanos && nanos <= ended;
        }
    }

    /**
     * Records the requests to servers in this JVM while {@code work} runs, until {@code isWhole}
     * holds for what was recorded: a server records a request after it has written the answer.
     */
    static List<RecordedRequest> during(Runnable work, Predicate<List<RecordedRequest>> isWhole)
            throws IOException {
        Path file = Files.createTempFile("requests", ".jfr");
        try (Recording recording = new Recording()) {
            recording.enable(EVENT);
            recording.start();
            work.run();
            AtomicReference<List<RecordedRequest>> recorded = new AtomicReference<>();
            Deadline.in(PATIENCE)
                    .await(
                            "all events",
                            () -> {
                                recorded.set(dumped(recording, file));
                                return isWhole.test(recorded.get());
                            });
            return recorded.get();
        } finally {
            Files.delete(file);
        }
    }

    private static List<RecordedRequest> dumped(Recording recording, Path file) {
        try {
            recording.dump(file);
            return read(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<RecordedRequest> read(Path file) throws IOException {
        List<RecordedRequest> requests = new ArrayList<>();
        for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
            if (event.getEventType().getName().equals(EVENT)) {
                requests.add(of(event));
            }
        }
        return requests;
    }

    private static RecordedRequest of(RecordedEvent event) {
        return new RecordedRequest(
                event.getString("node"),
                Arrays.asList(event.getString("numbers").split(",")),
                event.getString("kind"),
                event.getInt("status"),
                event.getLong("queued"),
                event.getLong("begun"),
                event.getLong("stored"),
                event.getLong("answered"),
                event.getDuration().toNanos(),
                Stream.of(event.getString("calls").split(";"))
                        .filter(text -> !text.isEmpty())
                        .map(Call::of)
                        .toList(),
                Stream.of(event.getString("threads").split(";")).map(Work::of).toList());
    }
}
