package dht.peer.async;

import dht.http.MemoryBudget;
import dht.peer.PeerAnswer;
import dht.peer.PeerAnswer.TimedOut;
import dht.peer.TimeoutQueue;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One request to another node and its answer.
 *
 * <p>The future that the client returns tells of failures only. It would tell of answers through
 * the common pool, whichever executor the client has: so the answer is taken from its body, {@link
 * AnswerBody}, and the future, which nobody needs any more then, is completed before the client
 * gets to it; that saves the detour.
 *
 * <p>Thread-safe: an answer, a failure and the end of its time may come at once, and the first one
 * counts.
 */
final class AsyncExchange extends TimeoutQueue.Timeout
        implements HttpResponse.BodyHandler<PeerAnswer> {
    /**
     * What all exchanges with a node share.
     *
     * @param timeouts of requests to the node
     * @param answerMemory of large values
     * @param onAnswer run when the node has answered
     */
    record Context(
            PeerTransport transport,
            PeerRequests requests,
            TimeoutQueue timeouts,
            MemoryBudget answerMemory,
            Runnable onAnswer) {}

    private final Context context;

    /** Null when it is over: so what waits for it can go, though the watch still knows of this. */
    private final AtomicReference<Consumer<PeerAnswer>> receiver;

    // Racy on purpose: an answer may come before they are set, and then takes the detour.
    private volatile CompletableFuture<HttpResponse<PeerAnswer>> sent;
    private volatile CompletableFuture<HttpResponse<PeerAnswer>> guarded;

    private volatile boolean overdue;
    private volatile long timeoutNanos;
    private volatile long begunNanos;

    AsyncExchange(Context context, Consumer<PeerAnswer> receiver) {
        this.context = context;
        this.receiver = new AtomicReference<>(receiver);
    }

    /**
     * Sends it, or ends at once; throws nothing.
     *
     * @param request writes it
     * @param sentNanos what {@link System#nanoTime} says now
     */
    void begin(Supplier<HttpRequest> request, long sentNanos, long timeout) {
        begunNanos = sentNanos;
        timeoutNanos = timeout;
        try {
            context.timeouts().add(this, timeout);
            CompletableFuture<HttpResponse<PeerAnswer>> future =
                    context.transport().client().sendAsync(request.get(), this);
            sent = future;
            guarded = future.exceptionallyAsync(this::fail, context.transport().failures());
            if (overdue) { // Before there was anything to cancel.
                future.cancel(true);
            }
        } catch (RuntimeException | Error e) {
            end(AnswerFailures.answer(e));
        }
    }

    /** Called when the head of the answer has come. */
    @Override
    public HttpResponse.BodySubscriber<PeerAnswer> apply(HttpResponse.ResponseInfo info) {
        long bodyBytes = AnswerBody.bodyBytes(info);
        timeoutNanos = timeoutNanos + context.requests().extraFor(bodyBytes).toNanos();
        return new AnswerBody(info, context.answerMemory(), this::receive);
    }

    private void receive(PeerAnswer answer) {
        context.onAnswer().run();
        try {
            complete(guarded);
            complete(sent);
        } finally { // There may be no memory for that.
            end(answer);
        }
    }

    /** A stage that is complete already isn't done any more, and no thread woken for it. */
    private static void complete(CompletableFuture<HttpResponse<PeerAnswer>> stage) {
        if (stage != null) {
            stage.complete(null);
        }
    }

    private HttpResponse<PeerAnswer> fail(Throwable failure) {
        context.transport().replaceEndedClient();
        end(AnswerFailures.answer(failure));
        return null;
    }

    private void end(PeerAnswer answer) {
        Consumer<PeerAnswer> told = receiver.getAndSet(null);
        if (told != null) {
            told.accept(answer);
        } else {
            answer.release();
        }
    }

    @Override
    protected boolean isOver() {
        return receiver.get() == null;
    }

    @Override
    protected void expire() {
        long leftNanos = begunNanos + timeoutNanos - System.nanoTime();
        if (leftNanos > 0) {
            context.timeouts().add(this, leftNanos);
            return;
        }
        overdue = true;
        end(TimedOut.INSTANCE);
        CompletableFuture<HttpResponse<PeerAnswer>> future = sent;
        if (future != null) {
            future.cancel(true); // Which closes the connection: its answer may come still.
        }
    }
}
