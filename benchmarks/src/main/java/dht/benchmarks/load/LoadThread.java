package dht.benchmarks.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * One thread of an open loop: its connections, each with a schedule of its own, and what it counts.
 * Confined to the thread that runs it, except {@link #stop}; what it counted may be read when it
 * has ended.
 */
final class LoadThread implements Runnable {
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final int CONNECT_STAGGER_MILLIS = 5;
    private static final int RECONNECT_MILLIS = 10;
    private static final int TIMEOUT_CHECK_MILLIS = 100;
    private static final int SAMPLE_MILLIS_MIN = 10;

    private final LoadOptions options;
    private final InetSocketAddress address;
    private final RequestSource requests;
    private final Consumer<String> messages;
    private final EventLoop loop;
    private final List<PacedConnection> connections = new ArrayList<>();
    private final LoadStatistics statistics = new LoadStatistics();
    private final Timeline timeline = new Timeline();
    private long startNanos;

    /**
     * @param thread from 0
     * @param messages takes lines for the report that come while it runs
     */
    LoadThread(
            LoadOptions options,
            int thread,
            RequestSource requests,
            LongSupplier clockNanos,
            Consumer<String> messages)
            throws IOException {
        this.options = options;
        this.address = options.address(thread);
        this.requests = requests;
        this.messages = messages;
        this.loop = new EventLoop(clockNanos);
        for (int i = 0; i < options.connections(thread); i++) {
            connections.add(new PacedConnection());
        }
    }

    @Override
    public void run() {
        try (loop) {
            startNanos = loop.nanos();
            for (int i = 0; i < connections.size(); i++) {
                loop.schedule(connections.get(i), (long) i * CONNECT_STAGGER_MILLIS);
            }
            loop.schedule(new End(), options.duration().toMillis());
            loop.schedule(new TimeoutCheck(), TIMEOUT_CHECK_MILLIS);
            if (!options.calibration().isZero()) {
                loop.schedule(
                        new Calibration(),
                        options.calibration().toMillis()
                                + (long) connections.size() * CONNECT_STAGGER_MILLIS);
            }
            loop.run();
            connections.forEach(PacedConnection::end);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the run early. Thread-safe. */
    void stop() {
        loop.stop();
    }

    LoadStatistics statistics() {
        return statistics;
    }

    /** Empty unless the options ask for it. */
    Timeline timeline() {
        return timeline;
    }

    /** A connection, its schedule, and the timer for what it does next: connect, or send. */
    private final class PacedConnection extends EventLoop.Timer implements Connection.Owner {
        private final Connection connection = new Connection(loop, address, this);
        private final RequestBuffers buffers = requests.newBuffers();
        private Schedule schedule;
        private RequestSource.Kind kind;
        private long sentNanos;
        private boolean late;

        @Override
        void fire(long nowNanos) {
            if (schedule == null) {
                schedule = new Schedule(nowNanos, options.intervalNanos());
            }
            if (connection.isOpen()) {
                sendOrWait(nowNanos);
            } else {
                connection.open();
            }
        }

        @Override
        public void connected() {
            sendOrWait(loop.nanos());
        }

        private void sendOrWait(long nowNanos) {
            long waitNanos = schedule.waitNanos(nowNanos);
            if (waitNanos > 0) {
                loop.schedule(this, waitNanos / NANOS_PER_MILLI + 1);
                return;
            }
            kind = requests.next(buffers);
            statistics.sent(kind);
            sentNanos = nowNanos;
            late = false;
            connection.send(buffers);
        }

        @Override
        public void answered(int status) {
            long nowNanos = loop.nanos();
            long recordedNanos = nowNanos - schedule.intendedStartNanos();
            statistics.answered(kind, status, recordedNanos, nowNanos - sentNanos);
            if (options.hasTimeline()) {
                timeline.answered(nowNanos - startNanos, status, recordedNanos);
            }
            schedule.complete();
            if (connection.isOpen()) {
                sendOrWait(nowNanos);
            } else {
                connection.open();
            }
        }

        @Override
        public void received(int bytes) {
            statistics.received(bytes);
        }

        @Override
        public void broken(Connection.Fault fault) {
            statistics.broken(fault);
            if (fault != Connection.Fault.IDLE) {
                noteFailure();
            }
            if (!isWaiting()) {
                loop.schedule(this, RECONNECT_MILLIS);
            }
        }

        void checkTimeout(long nowNanos) {
            if (connection.isInFlight()
                    && !late
                    && nowNanos - sentNanos > options.timeout().toNanos()) {
                late = true;
                statistics.timedOut();
                noteFailure();
            }
        }

        private void noteFailure() {
            if (options.hasTimeline()) {
                timeline.failed(loop.nanos() - startNanos);
            }
        }

        void end() {
            checkTimeout(loop.nanos());
            if (connection.isInFlight()) {
                statistics.leftInFlight();
            }
            connection.close();
        }
    }

    private final class End extends EventLoop.Timer {
        @Override
        void fire(long nowNanos) {
            loop.stop();
        }
    }

    private final class TimeoutCheck extends EventLoop.Timer {
        @Override
        void fire(long nowNanos) {
            connections.forEach(connection -> connection.checkTimeout(nowNanos));
            loop.schedule(this, TIMEOUT_CHECK_MILLIS);
        }
    }

    /** Forgets how it began, and starts sampling the rate. */
    private final class Calibration extends EventLoop.Timer {
        @Override
        void fire(long nowNanos) {
            if (statistics.recordedMicros().getTotalCount() == 0) {
                loop.schedule(this, options.calibration().toMillis());
                return;
            }
            double meanMillis = statistics.recordedMicros().getMean() / 1000;
            double highMillis = statistics.recordedMicros().getValueAtPercentile(90) / 1000.0;
            int sampleMillis = (int) Math.max(SAMPLE_MILLIS_MIN, 2 * highMillis);
            messages.accept(
                    "  Thread calibration: mean lat.: %sms, rate sampling interval: %dms"
                            .formatted(Units.fixed(meanMillis, 3), sampleMillis));
            statistics.forgetLatencies();
            loop.schedule(new RateSample(sampleMillis, nowNanos), sampleMillis);
        }
    }

    private final class RateSample extends EventLoop.Timer {
        private final int periodMillis;
        private long sinceNanos;
        private long requestsBefore;

        RateSample(int periodMillis, long sinceNanos) {
            this.periodMillis = periodMillis;
            this.sinceNanos = sinceNanos;
            this.requestsBefore = statistics.requests();
        }

        @Override
        void fire(long nowNanos) {
            long elapsedMillis = Math.max(1, (nowNanos - sinceNanos) / NANOS_PER_MILLI);
            statistics.sampleRate((statistics.requests() - requestsBefore) * 1000 / elapsedMillis);
            sinceNanos = nowNanos;
            requestsBefore = statistics.requests();
            loop.schedule(this, periodMillis);
        }
    }
}
