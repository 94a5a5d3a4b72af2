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
 * The body of another node's answer, which comes in piece by piece into an array of its length.
 * Tells what was answered as soon as it is whole, on the thread that brought the last piece: the
 * future that the client gives to its caller is later, and elsewhere.
 *
 * <p>Used by one thread at a time; {@link #cancel} and {@link #isOver} by any.
 */
public final class AnswerBody implements HttpResponse.BodySubscriber<PeerAnswer> {
    /** Up to this size there is memory, whatever else goes on. */
    public static final int SMALL_BYTES_MAX = 64 << 10;

    private static final String TIMESTAMP = "Timestamp-Micros";
    private static final Hold NOTHING = () -> {};
    private static final byte[] NONE = {};

    private final int status;
    private final long timestampMicros;
    private final MemoryBudget memory;
    private final Consumer<PeerAnswer> receiver;
    private final CompletableFuture<PeerAnswer> whole = new CompletableFuture<>();
    private final AtomicBoolean over = new AtomicBoolean();
    private final byte[] bytes;
    private final long takenBytes;
    private final PeerAnswer refusal; // Null where the body is wanted.
    private int filled;
    private volatile Flow.Subscription subscription;

    /**
     * @param receiver told before the future is completed
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
        byte[] room = length > 0 && malformed == null ? room((int) length, arrays) : NONE;
        this.refusal = room == null ? TooLarge.INSTANCE : malformed;
        this.bytes = room == null ? NONE : room;
        this.takenBytes = budgetedBytes(bytes.length);
    }

    /**
     * Takes its share of the budget.
     *
     * @return null if there is no memory
     */
    private byte[] room(int length, IntFunction<byte[]> arrays) {
        int budgeted = budgetedBytes(length);
        if (budgeted > 0 && !memory.tryTake(budgeted)) {
            return null;
        }
        try {
            return arrays.apply(length);
        } catch (OutOfMemoryError e) { // This node's own want: the other is well.
            memory.giveBack(budgeted);
            return null;
        }
    }

    private static int budgetedBytes(int length) {
        return length > SMALL_BYTES_MAX ? length : 0;
    }

    /**
     * @return -1 if it doesn't say
     */
    public static long bodyBytes(HttpResponse.ResponseInfo info) {
        return info.headers().firstValueAsLong("Content-Length").orElse(-1);
    }

    /** Null where it is well. */
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
        if (refusal == null) {
            each.request(Long.MAX_VALUE);
        } else {
            tell(refusal);
            each.cancel();
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
        tell(answer);
    }

    private void tell(PeerAnswer answer) {
        if (over.compareAndSet(false, true)) {
            receiver.accept(answer);
            whole.complete(answer);
        }
    }

    @Override
    public void onError(Throwable failure) {
        if (over.compareAndSet(false, true)) {
            memory.giveBack(takenBytes);
            whole.completeExceptionally(failure);
        }
    }

    public boolean isOver() {
        return over.get();
    }

    /** Ends the connection; what comes is not wanted any more. */
    public void cancel(Throwable reason) {
        Flow.Subscription known = subscription;
        if (known != null) {
            known.cancel();
        }
        onError(reason);
    }
}
