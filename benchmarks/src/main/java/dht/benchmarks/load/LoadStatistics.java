package dht.benchmarks.load;

import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * What a load counted. Each thread has its own, and they are added up when the threads have ended.
 * Not thread-safe.
 */
final class LoadStatistics {
    private static final long LATENCY_MICROS_MAX = 24L * 60 * 60 * 1_000_000;
    private static final int SIGNIFICANT_DIGITS = 3;
    private static final int STATUS_MAX = 999;
    static final int FIRST_ERROR_STATUS = 400;

    private final Histogram recordedMicros = new Histogram(LATENCY_MICROS_MAX, SIGNIFICANT_DIGITS);
    private final Histogram uncorrectedMicros =
            new Histogram(LATENCY_MICROS_MAX, SIGNIFICANT_DIGITS);
    private final Histogram acceptedMicros = new Histogram(LATENCY_MICROS_MAX, SIGNIFICANT_DIGITS);
    private final Histogram ratesPerSecond = new Histogram(LATENCY_MICROS_MAX, SIGNIFICANT_DIGITS);
    private final long[] statuses = new long[STATUS_MAX + 1];
    private long requests;
    private long receivedBytes;
    private long connectErrors;
    private long readErrors;
    private long writeErrors;
    private long timeouts;
    private long hits;
    private long lookups;
    private long missesAsked;
    private long inFlight;

    /**
     * An answer came.
     *
     * @param recordedNanos since the request should have been sent
     * @param uncorrectedNanos since it was sent
     */
    void answered(RequestSource.Kind kind, int status, long recordedNanos, long uncorrectedNanos) {
        requests++;
        statuses[Math.clamp(status, 0, STATUS_MAX)]++;
        if (kind == RequestSource.Kind.GET || kind == RequestSource.Kind.GET_MISSING) {
            hits += status == 200 ? 1 : 0;
            lookups += status == 200 || status == 404 ? 1 : 0;
        }
        recordedMicros.recordValue(micros(recordedNanos));
        uncorrectedMicros.recordValue(micros(uncorrectedNanos));
        if (status < FIRST_ERROR_STATUS) {
            acceptedMicros.recordValue(micros(uncorrectedNanos));
        }
    }

    private static long micros(long nanos) {
        return Math.clamp(nanos / 1000, 0, LATENCY_MICROS_MAX);
    }

    void sent(RequestSource.Kind kind) {
        missesAsked += kind == RequestSource.Kind.GET_MISSING ? 1 : 0;
    }

    void received(int bytes) {
        receivedBytes += bytes;
    }

    void broken(Connection.Fault fault) {
        switch (fault) {
            case CONNECT -> connectErrors++;
            case READ -> readErrors++;
            case WRITE -> writeErrors++;
            case IDLE -> {}
        }
    }

    void timedOut() {
        timeouts++;
    }

    void leftInFlight() {
        inFlight++;
    }

    void sampleRate(long requestsPerSecond) {
        ratesPerSecond.recordValue(requestsPerSecond);
    }

    /** Forgets the latencies, and nothing else. */
    void forgetLatencies() {
        recordedMicros.reset();
        uncorrectedMicros.reset();
        acceptedMicros.reset();
    }

    void add(LoadStatistics other) {
        recordedMicros.add(other.recordedMicros);
        uncorrectedMicros.add(other.uncorrectedMicros);
        acceptedMicros.add(other.acceptedMicros);
        ratesPerSecond.add(other.ratesPerSecond);
        for (int i = 0; i < statuses.length; i++) {
            statuses[i] += other.statuses[i];
        }
        requests += other.requests;
        receivedBytes += other.receivedBytes;
        connectErrors += other.connectErrors;
        readErrors += other.readErrors;
        writeErrors += other.writeErrors;
        timeouts += other.timeouts;
        hits += other.hits;
        lookups += other.lookups;
        missesAsked += other.missesAsked;
        inFlight += other.inFlight;
    }

    /** From the intended starts. */
    Histogram recordedMicros() {
        return recordedMicros;
    }

    /** From the moments of sending. */
    Histogram uncorrectedMicros() {
        return uncorrectedMicros;
    }

    /** From the moments of sending, without the answers that are errors. */
    Histogram acceptedMicros() {
        return acceptedMicros;
    }

    /** Of single threads, sampled. */
    Histogram ratesPerSecond() {
        return ratesPerSecond;
    }

    /** Answered ones. */
    long requests() {
        return requests;
    }

    long receivedBytes() {
        return receivedBytes;
    }

    long count(int status) {
        return statuses[status];
    }

    int[] statusesSeen() {
        return IntStream.rangeClosed(0, STATUS_MAX).filter(i -> statuses[i] > 0).toArray();
    }

    long errorStatuses() {
        return IntStream.rangeClosed(FIRST_ERROR_STATUS, STATUS_MAX)
                .mapToLong(i -> statuses[i])
                .sum();
    }

    long connectErrors() {
        return connectErrors;
    }

    long readErrors() {
        return readErrors;
    }

    long writeErrors() {
        return writeErrors;
    }

    long timeouts() {
        return timeouts;
    }

    /** GETs answered 200. */
    long hits() {
        return hits;
    }

    /** GETs answered 200 or 404. */
    long lookups() {
        return lookups;
    }

    /** GETs sent for keys that were never written. */
    long missesAsked() {
        return missesAsked;
    }

    /** Requests that were not answered when the time was up. */
    long inFlight() {
        return inFlight;
    }
}
