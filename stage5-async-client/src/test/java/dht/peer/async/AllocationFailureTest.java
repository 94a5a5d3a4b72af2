package dht.peer.async;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.Fingerprint;
import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.MemoryBudget;
import dht.http.OwnedBytes;
import dht.http.Status;
import dht.peer.Credentials;
import dht.peer.PeerAnswer;
import dht.peer.PeerOptions;
import dht.peer.TimeoutQueue;
import dht.peer.batch.Batch;
import dht.peer.batch.BatchSender;
import dht.testkit.concurrent.Deadline;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Allocations fail at random points of requests to a node and of their answers. */
class AllocationFailureTest {
    private static final int SCHEDULES = 1_000;
    private static final int CALLS = 12;
    private static final int IN_FLIGHT_MAX = 100;
    private static final int LARGE_BYTES = 70_000;
    private static final long SLOW_NANOS = 10_000_000;
    private static final Duration TIMEOUT = Duration.ofMillis(100);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final MemoryBudget memory = new MemoryBudget(2 * LARGE_BYTES);
    private final List<AsyncPeer> peers = new ArrayList<>();
    private final List<AtomicInteger> ends = new ArrayList<>();

    /**
     * Thread-safe, because the thread that checks deadlines adds to it, too, if a schedule takes
     * long.
     */
    private final List<Runnable> underWay = Collections.synchronizedList(new ArrayList<>());

    private final PeerTransport transport =
            new PeerTransport(PeerExecutorKind.DIRECT, TIMEOUT, new PoorClient());
    private Random random;
    private TimeoutQueue slow; // Of the last peer.
    private long nowNanos;

    @AfterEach
    void end() {
        transport.close();
    }

    /** Somewhere memory is needed. */
    private void allocate() {
        if (random.nextInt(12) == 0) {
            throw new OutOfMemoryError("made by the test");
        }
    }

    @Test
    void calls_whereverMemoryRunsOut_endOnceAndGiveTheirPlacesBack() {
        for (int seed = 0; seed < SCHEDULES; seed++) {
            random = new Random(seed);
            run(newPeer());
        }
        Deadline.in(PATIENCE)
                .await(
                        "every call has ended",
                        () -> ends.stream().allMatch(count -> count.get() > 0));
        for (int i = 0; i < ends.size(); i++) {
            assertThat(ends.get(i)).as("seed=%d call=%d", i / CALLS, i % CALLS).hasValue(1);
        }
        for (int seed = 0; seed < SCHEDULES; seed++) {
            assertThat(peers.get(seed).inFlightCount()).as("seed=%d", seed).isZero();
            assertThat(peers.get(seed).queuedCount()).as("seed=%d", seed).isZero();
        }
        Deadline.in(PATIENCE).await("all memory is back", () -> memory.takenBytes() == 0);
    }

    private AsyncPeer newPeer() {
        PeerOptions options =
                new PeerOptions(1, 1, TIMEOUT, TIMEOUT, 1_000, TIMEOUT, Duration.ZERO);
        var credentials =
                new Credentials(
                        new NodeAddress("self", 1),
                        new Fingerprint("0123456789abcdef"),
                        Optional.empty());
        slow = new TimeoutQueue(this::allocate, 1_000, 1_000, () -> nowNanos);
        var client =
                new AsyncClient(
                        new NodeAddress("127.0.0.1", 1), credentials, options, transport, memory);
        var sender = new BatchSender(4, client, slow);
        var peer = new AsyncPeer(client, sender, IN_FLIGHT_MAX, Duration.ZERO);
        peers.add(peer);
        return peer;
    }

    /** Requests and answers in a random order. */
    private void run(AsyncPeer peer) {
        int left = CALLS;
        while (left > 0 || !underWay.isEmpty()) {
            if (left > 0 && (underWay.isEmpty() || random.nextBoolean())) {
                left--;
                AtomicInteger count = new AtomicInteger();
                ends.add(count);
                var get = new EntityRequest.Get(("key" + left).getBytes(UTF_8), null);
                peer.ask(
                        get,
                        0,
                        answer -> {
                            count.incrementAndGet();
                            if (answer instanceof PeerAnswer.Answered answered) {
                                answered.hold().release();
                            }
                        });
            } else {
                underWay.remove(random.nextInt(underWay.size())).run();
            }
            if (random.nextInt(4) == 0) {
                nowNanos += random.nextInt(2) * SLOW_NANOS;
                slow.runDue(); // The next message wakes the thread, for which memory is needed.
            }
        }
    }

    /** Its completion needs memory. */
    private final class PoorFuture<T> extends CompletableFuture<T> {
        @Override
        public boolean complete(T value) {
            if (!isDone()) {
                allocate();
            }
            return super.complete(value);
        }

        @Override
        public <U> CompletableFuture<U> newIncompleteFuture() {
            return new PoorFuture<>();
        }
    }

    private record Info(int statusCode, int bodyBytes) implements HttpResponse.ResponseInfo {
        @Override
        public HttpHeaders headers() {
            return HttpHeaders.of(
                    Map.of("Content-Length", List.of("" + bodyBytes)), (_, _) -> true);
        }

        @Override
        public HttpClient.Version version() {
            return HttpClient.Version.HTTP_1_1;
        }
    }

    private static final class Unneeded implements Flow.Subscription {
        @Override
        public void request(long count) {}

        @Override
        public void cancel() {}
    }

    /** Does what the JDK's client does, but on the thread of the test. */
    private final class PoorClient extends StubHttpClient {
        @Override
        public <T> CompletableFuture<HttpResponse<T>> sendAsync(
                HttpRequest request, HttpResponse.BodyHandler<T> handler) {
            allocate();
            byte[] body = body(request);
            CompletableFuture<HttpResponse<T>> future = new PoorFuture<>();
            underWay.add(() -> answer(handler, body, future));
            allocate();
            return future;
        }

        private <T> void answer(
                HttpResponse.BodyHandler<T> handler,
                byte[] body,
                CompletableFuture<HttpResponse<T>> future) {
            try {
                allocate();
                int status = random.nextInt(8) == 0 ? 503 : Status.OK.code();
                HttpResponse.BodySubscriber<T> subscriber =
                        handler.apply(new Info(status, body.length));
                allocate(); // If this fails, the subscriber is not told.
                subscriber.onSubscribe(new Unneeded());
                try {
                    allocate();
                    subscriber.onNext(List.of(ByteBuffer.wrap(body)));
                    subscriber.onComplete();
                } catch (OutOfMemoryError e) {
                    subscriber.onError(e);
                    throw e;
                }
            } catch (OutOfMemoryError e) {
                if (random.nextBoolean()) { // Else there is no memory for this either.
                    future.completeExceptionally(new IOException(e));
                }
            }
        }

        /** A value, or the answers to a batch. */
        private byte[] body(HttpRequest request) {
            if (request.bodyPublisher().isEmpty()) {
                return new byte[random.nextInt(4) == 0 ? LARGE_BYTES : 5];
            }
            List<ByteBuffer> pieces = new ArrayList<>();
            request.bodyPublisher().get().subscribe(new Collector(pieces));
            int count = count(pieces.getFirst());
            Batch.Answers answers = new Batch.Answers(count);
            for (int i = 0; i < count; i++) {
                if (random.nextInt(8) == 0) {
                    answers.alone();
                } else {
                    answers.add(Status.OK.code(), 1, MemorySegment.ofArray(new byte[5]));
                }
            }
            return answers.toBytes();
        }

        private static int count(ByteBuffer message) {
            try {
                byte[] bytes = new byte[message.remaining()];
                message.get(bytes);
                return Batch.questions(OwnedBytes.takeOver(bytes), null).size();
            } catch (dht.http.RequestException e) {
                throw new AssertionError(e);
            }
        }
    }

    private record Collector(List<ByteBuffer> pieces) implements Flow.Subscriber<ByteBuffer> {
        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(ByteBuffer piece) {
            pieces.add(piece);
        }

        @Override
        public void onError(Throwable failure) {
            throw new AssertionError(failure);
        }

        @Override
        public void onComplete() {}
    }
}
