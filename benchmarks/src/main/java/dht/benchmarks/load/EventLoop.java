package dht.benchmarks.load;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A selector with timers, and what the connections on it share. Timers fire on whole milliseconds
 * of the clock, as in wrk2: what is due within the same millisecond goes together.
 *
 * <p>Confined to the thread that runs it, except {@link #stop}.
 */
final class EventLoop implements AutoCloseable {
    private static final int READ_BYTES = 64 << 10;
    private static final long NANOS_PER_MILLI = 1_000_000;

    /** Something to be done later. */
    abstract static class Timer {
        private long dueMillis;
        private boolean waiting;

        abstract void fire(long nowNanos);

        boolean isWaiting() {
            return waiting;
        }
    }

    private final LongSupplier clockNanos;
    private final Selector selector = Selector.open();
    private final Consumer<SelectionKey> dispatch =
            key -> ((Connection) key.attachment()).ready(key);
    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>(Comparator.comparingLong(timer -> timer.dueMillis));
    private final ByteBuffer incoming = ByteBuffer.allocateDirect(READ_BYTES);
    private final byte[] received = new byte[READ_BYTES];
    private volatile boolean stopped;

    EventLoop(LongSupplier clockNanos) throws IOException {
        this.clockNanos = clockNanos;
    }

    long nanos() {
        return clockNanos.getAsLong();
    }

    Selector selector() {
        return selector;
    }

    /** To read into, then to be copied to {@link #received}; of the same size. */
    ByteBuffer incoming() {
        return incoming;
    }

    byte[] received() {
        return received;
    }

    /** Fires a timer, which is not waiting yet, after so many milliseconds. */
    void schedule(Timer timer, long delayMillis) {
        timer.dueMillis = millis() + delayMillis;
        timer.waiting = true;
        timers.add(timer);
    }

    /** Runs until it is stopped. */
    void run() throws IOException {
        while (!stopped) {
            Timer next = timers.peek();
            long delayMillis = next == null ? 1000 : next.dueMillis - millis();
            if (delayMillis > 0) {
                selector.select(dispatch, delayMillis);
            } else {
                selector.selectNow(dispatch);
            }
            fireTimers();
        }
    }

    private void fireTimers() {
        long nowMillis = millis();
        for (Timer next = timers.peek();
                next != null && next.dueMillis <= nowMillis && !stopped;
                next = timers.peek()) {
            timers.poll();
            next.waiting = false;
            next.fire(nanos());
        }
    }

    /** Ends {@link #run} after what it is doing. Thread-safe. */
    void stop() {
        stopped = true;
        selector.wakeup();
    }

    private long millis() {
        return Math.floorDiv(nanos(), NANOS_PER_MILLI);
    }

    @Override
    public void close() throws IOException {
        selector.close();
    }
}
