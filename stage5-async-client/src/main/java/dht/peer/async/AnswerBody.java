package dht.peer.async;

import dht.http.MemoryBudget;
import dht.http.OwnedBytes;
import dht.peer.PeerAnswer;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerAnswer.TooLarge;
import dht.peer.PeerAnswer.Unreachable;
import dht.storage.Dao;
import dht.storage.ReadOutcome.Hold;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * Receives the body of another node's answer, piece by piece, into an array of its exact length.
 * The receiver gets the answer as soon as the body is complete, on the thread that delivered the
 * last piece. Waiting for the client's future would be slower: the client completes it later, on
 * another thread.
 *
 * <p>Used by one thread at a time. Any thread may call {@link #onError}, {@link #cancel} and {@link
 * #isOver} at any time.
 */
public final class AnswerBody implements HttpResponse.BodySubscriber<PeerAnswer> {
    /** A body of up to this size does not count in the memory limit. */
    public static final int SMALL_BYTES_MAX = 64 << 10;

    private static final String TIMESTAMP = "Timestamp-Micros";
    private static final Hold NOTHING = () -> {};
    private static final byte[] EMPTY = {};

    private final int status;
    private final long timestampMicros;
    private final MemoryBudget memory;
    private final Consumer<PeerAnswer> receiver;
    private final CompletableFuture<PeerAnswer> whole = new CompletableFuture<>();
    private final AtomicBoolean over = new AtomicBoolean();
    private final byte[] bytes;
    private final long takenBytes;
    private final PeerAnswer refusal; // The answer if the body cannot be received, else null.
    private int filled;
    private volatile Flow.Subscription subscription;

    /**
     * @param receiver gets the answer when the body is complete or refused, before the future is
     *     completed. If receiving fails, the future fails, and the receiver gets nothing; if there
     *     is no memory to fail the future, the receiver gets {@code TooLarge}
     */
    public AnswerBody(
            HttpResponse.ResponseInfo info, MemoryBudget memory, Consumer<PeerAnswer> receiver) {
        this(info, memory, receiver, byte[]::new);
    }

    AnswerBody(
            HttpResponse.ResponseInfo info,
            MemoryBudget memory,
            Consumer<PeerAnswer> receiver,
            IntFunction<byte[]> arrays) {
        this.status = info.statusCode();
        this.timestampMicros = info.headers().firstValueAsLong(TIMESTAMP).orElse(0);
        this.memory = memory;
        this.receiver = receiver;
        long length = bodyBytes(info);
        PeerAnswer malformed = malformed(length);
        byte[] allocated = length > 0 && malformed == null ? allocate((int) length, arrays) : EMPTY;
        this.refusal = allocated == null ? TooLarge.INSTANCE : malformed;
        this.bytes = allocated == null ? EMPTY : allocated;
        this.takenBytes = budgetedBytes(bytes.length);
    }

    /**
     * Takes the bytes from the budget, and allocates the array.
     *
     * @return null if there is no memory
     */
    private byte[] allocate(int length, IntFunction<byte[]> arrays) {
        int budgeted = budgetedBytes(length);
        if (budgeted > 0 && !memory.tryTake(budgeted)) {
            return null;
        }
        try {
            return arrays.apply(length);
        } catch (OutOfMemoryError e) { // This node lacks memory; the other node is healthy.
            memory.giveBack(budgeted);
            return null;
        }
    }

    private static int budgetedBytes(int length) {
        return length > SMALL_BYTES_MAX ? length : 0;
    }

    /**
     * @return the length of the body; -1 if the header is missing
     */
    public static long bodyBytes(HttpResponse.ResponseInfo info) {
        return info.headers().firstValueAsLong("Content-Length").orElse(-1);
    }

    /** Returns an answer that says why the length is wrong, or null if the length is right. */
    private static PeerAnswer malformed(long length) {
        if (length < 0) {
            return new Unreachable("the answer has no Content-Length");
        }
        if (length > Dao.MAX_VALUE_BYTES) {
            return new Unreachable("the answer is larger than any value: bytes=" + length);
        }
        return null;
    }

    @Override
    public CompletionStage<PeerAnswer> getBody() {
        return whole;
    }

    @Override
    public void onSubscribe(Flow.Subscription each) {
        subscription = each;
        if (over.get()) { // It was cancelled before it had a subscription.
            each.cancel();
            return;
        }
        if (refusal == null) {
            request(each);
            return;
        }
        try {
            deliver(refusal);
        } finally {
            each.cancel();
        }
    }

    /**
     * Catches the error, because the client would never close the connection if {@link
     * #onSubscribe} threw.
     */
    private void request(Flow.Subscription each) {
        try {
            each.request(Long.MAX_VALUE);
        } catch (OutOfMemoryError e) {
            cancel(e);
        }
    }

    @Override
    public void onNext(List<ByteBuffer> pieces) {
        for (ByteBuffer piece : pieces) {
            int length = Math.min(piece.remaining(), bytes.length - filled);
            piece.get(bytes, filled, length);
            filled += length;
        }
    }

    @Override
    public void onComplete() {
        if (filled < bytes.length) {
            onError(new IOException("the answer ended too early"));
            return;
        }
        PeerAnswer answer;
        try {
            Hold hold = takenBytes == 0 ? NOTHING : () -> memory.giveBack(takenBytes);
            answer = new Answered(status, timestampMicros, OwnedBytes.takeOver(bytes), hold);
        } catch (OutOfMemoryError e) {
            onError(e);
            return;
        }
        deliver(answer);
    }

    private void deliver(PeerAnswer answer) {
        if (over.compareAndSet(false, true)) {
            pass(answer);
        }
    }

    /**
     * Completes the future even if the receiver throws: until then, the client keeps the request
     * and its answer.
     */
    private void pass(PeerAnswer answer) {
        try {
            receiver.accept(answer);
        } finally {
            whole.complete(answer);
        }
    }

    @Override
    public void onError(Throwable failure) {
        if (over.compareAndSet(false, true)) {
            memory.giveBack(takenBytes);
            try {
                whole.completeExceptionally(failure);
            } catch (OutOfMemoryError e) { // Otherwise the receiver would get no answer.
                pass(TooLarge.INSTANCE);
            }
        }
    }

    /** Whether the answer was delivered, or receiving it has failed. */
    public boolean isOver() {
        return over.get();
    }

    /**
     * Fails the future with this reason, unless the answer was already delivered, and closes the
     * connection. If the client has not called {@link #onSubscribe} yet, that method closes the
     * connection.
     */
    public void cancel(Throwable reason) {
        try {
            onError(reason); // First: the client also reports that the connection was closed.
        } finally {
            Flow.Subscription known = subscription;
            if (known != null) {
                known.cancel();
            }
        }
    }
}
