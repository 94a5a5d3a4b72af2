package dht.peer.async;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.MemoryBudget;
import dht.http.Status;
import dht.peer.Credentials;
import dht.peer.PeerAnswer;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerAnswer.TooLarge;
import dht.peer.PeerAnswer.Unreachable;
import dht.peer.PeerCall;
import dht.peer.PeerHealth;
import dht.peer.PeerOptions;
import dht.peer.RemoteNode;
import dht.peer.TimeoutQueue;
import java.net.http.HttpRequest;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Another node, asked by the JDK's client, which keeps no thread waiting. Each request in flight
 * has a connection of its own, and the client has no bound for them: this has one, and refuses what
 * is beyond.
 *
 * <p>Thread-safe; doesn't block the caller.
 */
public final class AsyncPeer implements RemoteNode {
    private static final long LOOK_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Who has said nothing for so long may be dead. Longer than most collections take. */
    static final long ANSWERING_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final Runnable NOTHING = () -> {};

    private final NodeAddress address;
    private final PeerOptions options;
    private final PeerHealth health;
    private final PeerRequests requests;
    private final AsyncExchange.Context exchanges;
    private final int inFlightMax;
    private final Batcher batcher;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final LongAdder messages = new LongAdder();
    private volatile long answeredNanos = System.nanoTime() - ANSWERING_NANOS;

    /**
     * @param options of which queue and connections don't count here
     * @param inFlightMax requests at a time
     * @param batchMax requests that share a message at most; 1: none does
     * @param transport must outlive this
     * @param answerMemory of large values
     */
    public AsyncPeer(
            NodeAddress address,
            Credentials credentials,
            PeerOptions options,
            int inFlightMax,
            int batchMax,
            PeerTransport transport,
            MemoryBudget answerMemory) {
        this(
                address,
                credentials,
                options,
                inFlightMax,
                batchMax,
                transport,
                transport.timeoutQueue(Batcher.PATIENCE_NANOS),
                answerMemory);
    }

    AsyncPeer(
            NodeAddress address,
            Credentials credentials,
            PeerOptions options,
            int inFlightMax,
            int batchMax,
            PeerTransport transport,
            TimeoutQueue slow,
            MemoryBudget answerMemory) {
        this.address = address;
        this.options = options;
        this.health = new PeerHealth(address, options);
        this.requests = new PeerRequests(address, credentials, options.requestTimeout());
        transport.client(); // Made now, so that the first request needn't wait for it.
        this.exchanges =
                new AsyncExchange.Context(
                        transport,
                        requests,
                        transport.timeoutQueue(options.requestTimeout().toNanos()),
                        answerMemory,
                        this::answered);
        this.inFlightMax = inFlightMax;
        this.batcher = new Batcher(batchMax, slow, new BatchSender());
    }

    /** On the thread that the {@link PeerExecutorKind} says, or at once on the caller's. */
    @Override
    public void ask(EntityRequest request, long timestampMicros, Consumer<PeerAnswer> receiver) {
        if (health.isRejecting()) {
            receiver.accept(health.rejected());
        } else if (inFlight.incrementAndGet() > inFlightMax) {
            inFlight.decrementAndGet();
            receiver.accept(health.queueFull());
        } else if (health.tryEnter()) {
            begin(request, timestampMicros, receiver);
        } else {
            inFlight.decrementAndGet();
            receiver.accept(health.rejected());
        }
    }

    private void begin(EntityRequest request, long timestampMicros, Consumer<PeerAnswer> receiver) {
        PeerCall question;
        try {
            question = new PeerCall(health, request, timestampMicros, placeTaken(receiver));
        } catch (OutOfMemoryError e) {
            inFlight.decrementAndGet();
            receiver.accept(health.counted(TooLarge.INSTANCE));
            return;
        }
        try {
            if (request.valueBytes() <= InlineValues.BYTES_MAX) { // So it may share a message.
                batcher.add(question);
            } else {
                sendAlone(question, NOTHING);
            }
        } catch (RuntimeException | Error e) {
            fail(question);
        }
    }

    /** When the receiver gets its answer, the request's place is free for another one. */
    private Consumer<PeerAnswer> placeTaken(Consumer<PeerAnswer> receiver) {
        return answer -> {
            inFlight.decrementAndGet();
            receiver.accept(answer);
        };
    }

    private void send(List<PeerCall> questions, Runnable ended) {
        try {
            if (questions.size() == 1) {
                sendAlone(questions.getFirst(), ended);
            } else {
                sendBatch(questions, ended);
            }
        } catch (RuntimeException | Error e) {
            fail(questions);
            ended.run();
        }
    }

    private void sendBatch(List<PeerCall> questions, Runnable ended) {
        long sentNanos = System.nanoTime();
        send(
                () -> requests.batch(questions),
                0,
                sentNanos,
                answer -> {
                    try {
                        ended.run(); // First: the node needn't wait while this one tells.
                        tell(answer, questions, sentNanos);
                    } catch (RuntimeException | Error e) { // Without memory for all answers.
                        fail(questions);
                    }
                });
    }

    private void sendAlone(PeerCall question, Runnable ended) {
        long sentNanos = System.nanoTime();
        send(
                () -> requests.request(question.request(), question.timestampMicros(), false),
                question.request().valueBytes(),
                sentNanos,
                answer -> {
                    ended.run();
                    question.end(answer, sentNanos);
                });
    }

    private void send(
            Supplier<HttpRequest> request,
            long bytes,
            long sentNanos,
            Consumer<PeerAnswer> receiver) {
        long timeoutNanos = requests.timeoutFor(bytes).toNanos();
        messages.increment();
        new AsyncExchange(exchanges, receiver).begin(request, sentNanos, timeoutNanos);
    }

    private void tell(PeerAnswer message, List<PeerCall> questions, long sentNanos) {
        try {
            List<? extends PeerAnswer> answers = answers(message, questions.size());
            health.judged(answers.getFirst(), sentNanos); // Once: one message is one try.
            for (int i = 0; i < questions.size(); i++) {
                if (answers.get(i) instanceof Answered(int status, _, _, _)
                        && status == Batch.ALONE) {
                    sendAlone(questions.get(i), NOTHING);
                } else {
                    questions.get(i).end(answers.get(i));
                }
            }
        } finally {
            message.release(); // Of them all: none of the answers has a hold of its own.
        }
    }

    private static List<? extends PeerAnswer> answers(PeerAnswer message, int count) {
        if (!(message instanceof Answered answered)) {
            return Collections.nCopies(count, message);
        }
        List<Answered> answers =
                refusesAll(answered)
                        ? Collections.nCopies(count, unheld(answered))
                        : Batch.answers(answered, count);
        return answers != null
                ? answers
                : Collections.nCopies(count, new Unreachable("its answer to a batch is none"));
    }

    private static Answered unheld(Answered answered) {
        return new Answered(
                answered.status(), answered.timestampMicros(), answered.body(), AnswerBody.NOTHING);
    }

    /** But for 404: from a node that knows no batches it is no word on any key. */
    private static boolean refusesAll(Answered answered) {
        return answered.status() != Status.OK.code()
                && answered.status() != Status.NOT_FOUND.code();
    }

    /** Ends those that have not ended; needs no memory. */
    private void fail(List<PeerCall> questions) {
        for (int i = 0; i < questions.size(); i++) { // An iterator would need memory.
            fail(questions.get(i));
        }
    }

    /** There was no memory for it, or for its answer: which says nothing about the node. */
    private void fail(PeerCall question) {
        question.end(TooLarge.INSTANCE);
    }

    private final class BatchSender implements Batcher.Sender {
        @Override
        public void send(List<PeerCall> questions, Runnable ended) {
            AsyncPeer.this.send(questions, ended);
        }

        @Override
        public void fail(PeerCall question) {
            AsyncPeer.this.fail(question);
        }
    }

    @Override
    public NodeAddress address() {
        return address;
    }

    @Override
    public PeerHealth health() {
        return health;
    }

    /** Those that gather. */
    @Override
    public int queuedCount() {
        return batcher.waitingCount();
    }

    /** It has said something. */
    private void answered() {
        answeredNanos = System.nanoTime();
    }

    @Override
    public boolean isBehind() {
        return 2L * inFlight.get() >= inFlightMax
                && System.nanoTime() - answeredNanos < ANSWERING_NANOS;
    }

    /** Requests that have no answer yet. */
    public int inFlightCount() {
        return inFlight.get();
    }

    /** Messages that took requests to it, several or one each. */
    long messageCount() {
        return messages.sum();
    }

    @Override
    public void close() {
        long deadlineNanos = System.nanoTime() + options.drainTimeout().toNanos();
        while (inFlight.get() > 0 && System.nanoTime() < deadlineNanos) {
            LockSupport.parkNanos(LOOK_PAUSE_NANOS);
        }
    }
}
