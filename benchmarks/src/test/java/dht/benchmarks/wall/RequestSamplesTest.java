package dht.benchmarks.wall;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;
import one.profiler.AsyncProfiler;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Chooses samples from real recordings of this JVM: of the profiler and of events. */
@Timeout(60)
class RequestSamplesTest {
    private static final long INTERVAL_NANOS = 1_000_000;
    private static final long LASTS_NANOS = 500_000_000;

    /**
     * At the edge of an interval, fewer samples than this may be chosen wrongly: the clocks of the
     * two recordings differ by some milliseconds.
     */
    private static final int EDGE_SAMPLES = 50;

    @TempDir private static Path folder;
    private static Path requests;
    private static Path wall;

    private static volatile long sink;

    /** Has the fields of {@code dht.http.RequestEvent}, in the same order. */
    @Name(RecordedWork.EVENT)
    @StackTrace(false)
    @SuppressWarnings("unused") // The recording reads the fields.
    private static final class RequestEvent extends Event {
        String stage = "stage";
        String node = "http://a";
        String numbers;
        String kind = "PUT /v0/entity";
        int status = 201;
        long queued = -1;
        long begun = -1;
        long stored = 3;
        long answered = 4;
        String calls = "";
        String threads;
    }

    /**
     * One thread computes for a request, idles, waits for a request, and computes for another. The
     * last request is in the queue meanwhile, and a little longer.
     */
    @BeforeAll
    static void record() throws IOException {
        requests = folder.resolve("requests.jfr");
        wall = folder.resolve("wall.jfr");
        AsyncProfiler profiler = AsyncProfiler.getInstance();
        profiler.execute("start,wall=1ms,jfr,file=" + wall);
        try (Recording recording = new Recording()) {
            recording.enable(RecordedWork.EVENT);
            recording.start();
            serve("7", RequestSamplesTest::compute);
            idle();
            serve("8,9", RequestSamplesTest::await);
            RequestEvent last = new RequestEvent();
            last.begin();
            long start = System.nanoTime();
            serve("10", RequestSamplesTest::computeElsewhere);
            idle();
            last.queued = 0;
            last.begun = System.nanoTime() - start;
            compute();
            commit(last, "11", last.begun, System.nanoTime() - start);
            recording.dump(requests);
        } finally {
            profiler.execute("stop,file=" + wall);
        }
    }

    @Test
    void samples_withinTheRequest_areChosen() throws IOException {
        List<String> stacks = samples("7");
        assertThat(stacks).anyMatch(stack -> stack.contains("RequestSamplesTest.compute_"));
        assertThat(count(stacks, "RequestSamplesTest.idle")).isLessThan(EDGE_SAMPLES);
        assertThat(count(stacks, "RequestSamplesTest.await")).isLessThan(EDGE_SAMPLES);
        assertThat(count(stacks, "computeElsewhere")).isLessThan(EDGE_SAMPLES);
    }

    @Test
    void samples_whileTheThreadSleeps_areCountedAllTheTime() throws IOException {
        List<String> stacks = samples("9");
        assertThat(count(stacks, "ompute")).isLessThan(EDGE_SAMPLES);
        // On a busy machine some are missing, but not most.
        assertThat(count(stacks, "RequestSamplesTest.await"))
                .isBetween(10, 2 * (int) (LASTS_NANOS / INTERVAL_NANOS));
    }

    @Test
    void samples_ofSeveralRequests_areChosenTogether() throws IOException {
        List<String> stacks = samples("7", "8");
        assertThat(stacks).anyMatch(stack -> stack.contains("RequestSamplesTest.compute_"));
        assertThat(stacks).anyMatch(stack -> stack.contains("RequestSamplesTest.await"));
        assertThat(count(stacks, "RequestSamplesTest.idle")).isLessThan(EDGE_SAMPLES);
    }

    @Test
    void samples_ofNoRequest_areNotChosen() throws IOException {
        assertThat(samples("99")).isEmpty();
        assertThat(samplesMeanwhile("99")).isEmpty();
    }

    @Test
    void samples_whileTheRequestIsQueued_areOfWhatTheThreadDidMeanwhile() throws IOException {
        List<String> served = samples("11");
        assertThat(served).anyMatch(stack -> stack.contains("RequestSamplesTest.compute_"));
        assertThat(count(served, "computeElsewhere")).isLessThan(EDGE_SAMPLES);
        List<String> meanwhile = samplesMeanwhile("11");
        assertThat(meanwhile).anyMatch(stack -> stack.contains("computeElsewhere"));
        assertThat(meanwhile).anyMatch(stack -> stack.contains("RequestSamplesTest.idle"));
        assertThat(count(meanwhile, "RequestSamplesTest.compute_")).isLessThan(EDGE_SAMPLES);
    }

    @Test
    void samples_whileQueued_thatAreOfAnotherOfTheRequests_areNotChosenTwice() throws IOException {
        assertThat(samples("10", "11")).anyMatch(stack -> stack.contains("computeElsewhere"));
        List<String> meanwhile = samplesMeanwhile("10", "11");
        assertThat(meanwhile).isNotEmpty();
        assertThat(count(meanwhile, "computeElsewhere")).isLessThan(EDGE_SAMPLES);
    }

    @Test
    void arguments_missing_areRejected() {
        assertThatThrownBy(() -> RequestSamples.main(new String[] {"numbers"}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("NUMBERS REQUESTS.jfr WALL.jfr");
    }

    private static List<String> samples(String... numbers) throws IOException {
        choose(numbers);
        return Files.readAllLines(folder.resolve("served.txt"));
    }

    private static List<String> samplesMeanwhile(String... numbers) throws IOException {
        choose(numbers);
        return Files.readAllLines(folder.resolve("queued.txt"));
    }

    private static void choose(String... numbers) throws IOException {
        Path asked = Files.write(folder.resolve("numbers.txt"), List.of(numbers));
        RequestSamples.main(
                new String[] {
                    asked.toString(),
                    requests.toString(),
                    wall.toString(),
                    folder.resolve("served.txt").toString(),
                    folder.resolve("queued.txt").toString()
                });
    }

    /** The samples of the stacks with this frame. */
    private static int count(List<String> stacks, String frame) {
        return stacks.stream()
                .filter(stack -> stack.contains(frame))
                .mapToInt(stack -> Integer.parseInt(stack.substring(stack.lastIndexOf(' ') + 1)))
                .sum();
    }

    private static void serve(String numbers, Runnable work) {
        RequestEvent event = new RequestEvent();
        event.begin();
        long start = System.nanoTime();
        work.run();
        long nanos = System.nanoTime() - start;
        commit(event, numbers, 0, nanos);
    }

    private static void commit(RequestEvent event, String numbers, long begun, long ended) {
        event.numbers = numbers;
        event.threads = Thread.currentThread().threadId() + " " + begun + " " + ended;
        event.commit();
    }

    private static void compute() {
        for (long start = System.nanoTime(); System.nanoTime() - start < LASTS_NANOS; ) {
            sink++;
        }
    }

    private static void computeElsewhere() {
        for (long start = System.nanoTime(); System.nanoTime() - start < LASTS_NANOS; ) {
            sink--;
        }
    }

    private static void await() {
        park();
    }

    private static void idle() {
        park();
    }

    private static void park() {
        for (long start = System.nanoTime(); System.nanoTime() - start < LASTS_NANOS; ) {
            LockSupport.parkNanos(LASTS_NANOS);
        }
    }
}
