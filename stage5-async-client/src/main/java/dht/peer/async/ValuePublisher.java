package dht.peer.async;

import java.lang.foreign.MemorySegment;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Publishes a value in steps, without copying it. The steps are small for a reason: the socket
 * copies each buffer into memory outside the heap, and keeps that memory for later writes.
 *
 * <p>Thread-safe; each subscriber gets the whole value.
 */
final class ValuePublisher implements HttpRequest.BodyPublisher {
    private static final int STEP_BYTES = 64 << 10;

    private final MemorySegment value;

    ValuePublisher(MemorySegment value) {
        this.value = value;
    }

    @Override
    public long contentLength() {
        return value.byteSize();
    }

    @Override
    public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
        subscriber.onSubscribe(new Steps(subscriber));
    }

    private final class Steps implements Flow.Subscription {
        private final Flow.Subscriber<? super ByteBuffer> subscriber;

        /**
         * The number of steps that were requested but not taken. The thread that raises it from 0
         * takes all steps, also those that other threads request in the meantime.
         */
        private final AtomicLong demand = new AtomicLong();

        // Used by one thread at a time.
        private long sent;
        private boolean ended;

        private volatile boolean cancelled;

        Steps(Flow.Subscriber<? super ByteBuffer> subscriber) {
            this.subscriber = subscriber;
        }

        @Override
        public void request(long count) {
            // More steps are never needed.
            long stepsMax = value.byteSize() / STEP_BYTES + 1;
            if (demand.getAndAdd(Math.min(count, stepsMax)) == 0) {
                do {
                    step();
                } while (demand.decrementAndGet() > 0);
            }
        }

        private void step() {
            if (cancelled || ended) {
                return;
            }
            long length = Math.min(STEP_BYTES, value.byteSize() - sent);
            ByteBuffer bytes = value.asSlice(sent, length).asByteBuffer();
            sent += length;
            subscriber.onNext(bytes);
            if (sent == value.byteSize()) {
                ended = true;
                subscriber.onComplete();
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    }
}
