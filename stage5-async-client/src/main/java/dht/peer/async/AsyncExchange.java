package dht.peer.async;

import dht.http.MemoryBudget;
import dht.peer.PeerAnswer;
import dht.peer.PeerAnswer.TimedOut;
import dht.peer.TimeoutQueue;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One request to another node and its answer.
 *
 * <p>The client's future is used for failures only. For answers it would be slow, because the
 * client always completes the future in the common pool, even if the client has an executor. So the
 * {@link AnswerBody} passes the answer on directly, and this class completes the future itself. The
 * client then finds a completed future, and does not use the common pool.
 *
 * <p>Thread-safe: an answer, a failure and the timeout may happen at the same time; only the first
 * one is passed to the receiver.
 */
final class AsyncExchange extends TimeoutQueue.Timeout
        implements HttpResponse.BodyHandler<PeerAnswer> {
    /**
     * What all exchanges with a node share.
     *
     * @param timeouts the queue for timeouts of requests to the node
     * @param answerMemory the memory limit for large values
     * @param onAnswer runs when the node has answered
     */
    record Context(
            PeerTransport transport,
            PeerRequestFactory requestFactory,
            TimeoutQueue timeouts,
            MemoryBudget answerMemory,
            Runnable onAnswer) {}

    /** Created in advance: when it is needed, there may be no memory for it. */
    private static final Throwable ENDED = new CancellationException("the exchange has ended");

    private final Context context;

    /**
     * Contains null when the exchange has ended. This object may stay in the timeout queue until
     * its timeout, but the receiver can already be garbage-collected.
     */
    private final AtomicReference<Consumer<PeerAnswer>> receiver;

    // Racy on purpose: an answer may arrive before these fields are set. Then the
    // client completes the future in the common pool, which is correct but slower.
    private volatile CompletableFuture<HttpResponse<PeerAnswer>> sent;
    private volatile CompletableFuture<HttpResponse<PeerAnswer>> withFailureHandler;

    /** The body of the answer while it is being received, else null. */
    private volatile AnswerBody body;

    private volatile boolean overdue;

    /**
     * True while the client's future must still be cancelled. If cancelling fails for lack of
     * memory, it is tried again. If cancelling fails when the future is already marked as
     * cancelled, trying again has no effect, and the connection stays open until the node answers
     * or closes it.
     */
    private volatile boolean mustCancel;

    private volatile long timeoutNanos;
    private volatile long beganNanos;

    AsyncExchange(Context context, Consumer<PeerAnswer> receiver) {
        this.context = context;
        this.receiver = new AtomicReference<>(receiver);
    }

    /**
     * Sends the request. If that fails, ends the exchange at once. Throws nothing.
     *
     * @param request creates the request
     * @param sentNanos the current {@link System#nanoTime}
     * @param timeout how long the exchange may take, in nanoseconds
     */
    void begin(Supplier<HttpRequest> request, long sentNanos, long timeout) {
        beganNanos = sentNanos;
        timeoutNanos = timeout;
        try {
            context.timeouts().add(this, timeout);
            CompletableFuture<HttpResponse<PeerAnswer>> future =
                    context.transport().client().sendAsync(request.get(), this);
            sent = future;
            withFailureHandler =
                    future.exceptionallyAsync(this::fail, context.transport().failures());
            if (overdue) { // The timeout came before there was a future to cancel.
                future.cancel(true);
            }
        } catch (RuntimeException | Error e) {
            // Set before the exchange ends. Otherwise the timeout queue would drop this entry.
            mustCancel = sent != null;
            endWithBody(e);
            if (overdue) { // The queue has removed this entry. Adding it again needs no memory.
                context.timeouts().add(this, 0);
            }
        }
    }

    /** Called when the head of the answer has arrived. */
    @Override
    public HttpResponse.BodySubscriber<PeerAnswer> apply(HttpResponse.ResponseInfo info) {
        try {
            long bodyBytes = AnswerBody.bodyBytes(info);
            timeoutNanos = timeoutNanos + context.requestFactory().extraFor(bodyBytes).toNanos();
            AnswerBody begun = new AnswerBody(info, context.answerMemory(), this::receive);
            // The body is set before the check. So a thread that ends the exchange after the
            // check finds the body and cancels it.
            body = begun;
            if (receiver.get() == null) {
                failBody(ENDED);
                return RefusedBody.of(TimedOut.INSTANCE);
            }
            return begun;
        } catch (RuntimeException | Error e) {
            PeerAnswer answer = AnswerFailures.answer(e);
            end(answer);
            return RefusedBody.of(answer);
        }
    }

    private void receive(PeerAnswer answer) {
        body = null;
        context.onAnswer().run();
        try {
            complete(withFailureHandler); // First, so that completing the other one runs nothing.
            complete(sent);
        } catch (OutOfMemoryError _) { // The client completes them later, in the common pool.
        }
        end(answer);
    }

    /**
     * Completes a future in advance, so that the client wakes no thread to complete it. Nobody
     * reads its value.
     */
    private static void complete(CompletableFuture<HttpResponse<PeerAnswer>> stage) {
        if (stage != null) {
            stage.complete(null);
        }
    }

    private HttpResponse<PeerAnswer> fail(Throwable failure) {
        try {
            context.transport().replaceEndedClient();
        } finally { // A new client may need more memory than there is.
            endWithBody(failure);
        }
        return null;
    }

    private void endWithBody(Throwable failure) {
        try {
            end(AnswerFailures.answer(failure));
        } finally {
            failBody(failure);
        }
    }

    /**
     * Cancels the body, if there is one, and so gives its memory back. Called after the exchange
     * has ended. The client itself does not notify the body if the client fails after the head has
     * arrived and before it subscribes the body.
     */
    private void failBody(Throwable failure) {
        AnswerBody begun = body;
        if (begun != null) {
            body = null;
            begun.cancel(failure);
        }
    }

    private void end(PeerAnswer answer) {
        Consumer<PeerAnswer> unanswered = receiver.getAndSet(null);
        if (unanswered != null) {
            try {
                context.requestFactory().answered(answer);
            } finally {
                unanswered.accept(answer);
            }
        } else {
            answer.release();
        }
    }

    @Override
    protected boolean isOver() {
        return receiver.get() == null && !mustCancel;
    }

    @Override
    protected void expire() {
        long leftNanos = beganNanos + timeoutNanos - System.nanoTime();
        if (leftNanos > 0) {
            context.timeouts().add(this, leftNanos);
            return;
        }
        overdue = true;
        mustCancel = true;
        try {
            end(TimedOut.INSTANCE);
        } finally {
            CompletableFuture<HttpResponse<PeerAnswer>> future = sent;
            if (future != null) { // Otherwise begin() cancels it.
                // Closes the connection: the next request must not get this request's late answer.
                future.cancel(true);
                mustCancel = false;
            }
        }
    }
}
