package dht.peer.async;

import static org.assertj.core.api.Assertions.assertThat;

import dht.http.MemoryBudget;
import dht.peer.PeerAnswer;
import dht.peer.PeerAnswer.TooLarge;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Flow;
import org.junit.jupiter.params.ParameterizedTest;
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

    private static final class Subscription implements Flow.Subscription {
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
}
