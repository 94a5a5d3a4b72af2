package dht.peer.async;

import static dht.peer.async.StubNode.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.http.MemoryBudget;
import dht.peer.PeerAnswer;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerAnswer.TooLarge;
import dht.storage.Dao;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerBodyTest {
    private static final int BUDGET_BYTES = 1 << 20;

    private record Head(int bodyBytes) implements HttpResponse.ResponseInfo {
        @Override
        public int statusCode() {
            return 200;
        }

        @Override
        public HttpHeaders headers() {
            String length = Integer.toString(bodyBytes);
            return HttpHeaders.of(Map.of("Content-Length", List.of(length)), (_, _) -> true);
        }

        @Override
        public HttpClient.Version version() {
            return HttpClient.Version.HTTP_1_1;
        }
    }

    private static class Subscription implements Flow.Subscription {
        private boolean cancelled;

        @Override
        public void request(long count) {}

        @Override
        public void cancel() {
            cancelled = true;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {10, BUDGET_BYTES})
    void body_withoutMemory_isTooLargeAndLeavesTheBudgetWhole(int bodyBytes) {
        MemoryBudget budget = new MemoryBudget(BUDGET_BYTES);
        List<PeerAnswer> told = new ArrayList<>();
        AnswerBody body =
                new AnswerBody(
                        new Head(bodyBytes),
                        budget,
                        told::add,
                        _ -> {
                            throw new OutOfMemoryError("as the test wants it");
                        });
        Subscription subscription = new Subscription();
        body.onSubscribe(subscription);
        assertThat(told).containsExactly(new TooLarge());
        assertThat(subscription.cancelled).isTrue();
        assertThat(budget.tryTake(BUDGET_BYTES)).isTrue();
    }

    /** For example after a DELETE. */
    @Test
    void body_thatIsEmpty_needsNoMemory() {
        List<PeerAnswer> told = new ArrayList<>();
        AnswerBody body =
                new AnswerBody(
                        new Head(0),
                        new MemoryBudget(0),
                        told::add,
                        _ -> {
                            throw new OutOfMemoryError("as the test wants it");
                        });
        body.onSubscribe(new Subscription());
        body.onComplete();
        assertThat(told).singleElement().isInstanceOf(Answered.class);
    }

    /** Until the future is complete, the client keeps the request and its answer. */
    @Test
    void body_whoseReceiverFails_isComplete() {
        AnswerBody body = new AnswerBody(new Head(0), new MemoryBudget(0), AnswerBodyTest::fail);
        body.onSubscribe(new Subscription());
        assertThatThrownBy(body::onComplete).isInstanceOf(OutOfMemoryError.class);
        assertThat(body.getBody().toCompletableFuture())
                .isCompletedWithValueMatching(Answered.class::isInstance);
    }

    private static void fail(PeerAnswer answer) {
        throw new OutOfMemoryError("as the test wants it: " + answer);
    }

    @Test
    void body_thatIsRefusedWhileItsReceiverFails_closesItsConnection() {
        AnswerBody body =
                new AnswerBody(
                        new Head(Dao.MAX_VALUE_BYTES + 1),
                        new MemoryBudget(0),
                        AnswerBodyTest::fail);
        Subscription subscription = new Subscription();
        assertThatThrownBy(() -> body.onSubscribe(subscription))
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(subscription.cancelled).isTrue();
        assertThat(body.getBody().toCompletableFuture()).isCompleted();
    }

    /** If {@code onSubscribe} threw, the client would leave the connection open for ever. */
    @Test
    void body_forWhichNothingCanBeRequested_failsAndClosesItsConnection() {
        MemoryBudget budget = new MemoryBudget(BUDGET_BYTES);
        AnswerBody body = new AnswerBody(new Head(BUDGET_BYTES), budget, _ -> {});
        Subscription subscription =
                new Subscription() {
                    @Override
                    public void request(long count) {
                        throw new OutOfMemoryError("as the test wants it");
                    }
                };
        body.onSubscribe(subscription);
        assertThat(subscription.cancelled).isTrue();
        assertThat(body.getBody().toCompletableFuture().exceptionNow())
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(budget.takenBytes()).isZero();
    }

    @Test
    void body_thatWasCancelledBeforeItsSubscription_receivesNothing() {
        MemoryBudget budget = new MemoryBudget(BUDGET_BYTES);
        AnswerBody body = new AnswerBody(new Head(BUDGET_BYTES), budget, _ -> {});
        body.cancel(new IOException("no longer needed"));
        Subscription subscription =
                new Subscription() {
                    @Override
                    public void request(long count) {
                        throw new AssertionError("nobody wants it");
                    }
                };
        body.onSubscribe(subscription);
        assertThat(subscription.cancelled).isTrue();
        assertThat(budget.takenBytes()).isZero();
    }

    /** The client reports a connection that was closed, perhaps before {@code cancel} returns. */
    @Test
    void body_thatIsCancelled_failsForThatReason() {
        MemoryBudget budget = new MemoryBudget(BUDGET_BYTES);
        AnswerBody body = new AnswerBody(new Head(BUDGET_BYTES), budget, _ -> {});
        Subscription subscription =
                new Subscription() {
                    @Override
                    public void cancel() {
                        super.cancel();
                        body.onError(new IOException("closed"));
                    }
                };
        body.onSubscribe(subscription);
        assertThat(body.isOver()).isFalse();
        HttpTimeoutException reason = new HttpTimeoutException("as the test wants it");

        body.cancel(reason);

        assertThat(body.isOver()).isTrue();
        assertThat(body.getBody().toCompletableFuture().exceptionNow()).isSameAs(reason);
        assertThat(subscription.cancelled).isTrue();
        assertThat(budget.tryTake(BUDGET_BYTES)).isTrue();
        assertThat(budget.tryTake(1)).as("it is back once").isFalse();
    }

    @ParameterizedTest
    @CsvSource({"65536, 0", "65537, 65537"})
    void body_thatIsSmall_takesNoneOfTheBudget(int bodyBytes, int takenBytes) {
        MemoryBudget budget = new MemoryBudget(BUDGET_BYTES);
        AnswerBody body = new AnswerBody(new Head(bodyBytes), budget, _ -> {});
        body.onSubscribe(new Subscription());
        assertThat(body.isOver()).isFalse();
        assertThat(budget.tryTake(BUDGET_BYTES - takenBytes)).isTrue();
        assertThat(budget.tryTake(1)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"0, false", "1, true"})
    void body_thatIsLargerThanAnyValue_isRefused(int moreBytes, boolean isRefused) {
        int bodyBytes = Dao.MAX_VALUE_BYTES + moreBytes;
        List<PeerAnswer> told = new ArrayList<>();
        AnswerBody body =
                new AnswerBody(new Head(bodyBytes), new MemoryBudget(bodyBytes), told::add);
        body.onSubscribe(new Subscription());
        assertThat(body.isOver()).isEqualTo(isRefused);
        assertThat(told).hasSize(moreBytes);
    }

    @Test
    void body_withMoreBytesThanItSaid_hasAsManyAsItSaid() {
        List<PeerAnswer> told = new ArrayList<>();
        AnswerBody body = new AnswerBody(new Head(3), new MemoryBudget(0), told::add);
        body.onSubscribe(new Subscription());
        body.onNext(List.of(ByteBuffer.wrap(bytes("ab")), ByteBuffer.wrap(bytes("cde"))));
        body.onNext(List.of(ByteBuffer.wrap(bytes("f"))));
        body.onComplete();
        assertThat(told)
                .singleElement()
                .isInstanceOfSatisfying(
                        Answered.class,
                        answer -> assertThat(answer.body().toArray()).isEqualTo(bytes("abc")));
    }

    @Test
    void body_withFewerBytesThanItSaid_isNoAnswer() {
        List<PeerAnswer> told = new ArrayList<>();
        AnswerBody body = new AnswerBody(new Head(3), new MemoryBudget(0), told::add);
        body.onSubscribe(new Subscription());
        body.onNext(List.of(ByteBuffer.wrap(bytes("ab"))));
        body.onComplete();
        assertThat(told).isEmpty();
        assertThat(body.getBody().toCompletableFuture().exceptionNow())
                .hasMessage("the answer ended too early");
    }
}
