package dht.peer.async;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ValuePublisherTest {
    private static final int STEP_BYTES = 64 << 10;

    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private Flow.Subscription subscription;
    private boolean isComplete;

    private byte[] subscribe(int size) {
        byte[] value = new byte[size];
        new Random(size).nextBytes(value);
        new ValuePublisher(MemorySegment.ofArray(value))
                .subscribe(
                        new Flow.Subscriber<>() {
                            @Override
                            public void onSubscribe(Flow.Subscription each) {
                                subscription = each;
                            }

                            @Override
                            public void onNext(ByteBuffer bytes) {
                                assertThat(isComplete).isFalse();
                                byte[] step = new byte[bytes.remaining()];
                                bytes.get(step);
                                received.writeBytes(step);
                            }

                            @Override
                            public void onError(Throwable failure) {
                                throw new AssertionError(failure);
                            }

                            @Override
                            public void onComplete() {
                                assertThat(isComplete).isFalse();
                                isComplete = true;
                            }
                        });
        return value;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, STEP_BYTES, STEP_BYTES + 1, 3 * STEP_BYTES})
    void value_requestedAtOnce_comesWholeAndOnce(int size) {
        byte[] value = subscribe(size);
        subscription.request(Long.MAX_VALUE);
        assertThat(received.toByteArray()).isEqualTo(value);
        assertThat(isComplete).isTrue();
        subscription.request(1);
        assertThat(received.size()).isEqualTo(size);
    }

    @Test
    void value_requestedInSteps_comesAsRequested() {
        subscribe(3 * STEP_BYTES);
        subscription.request(1);
        assertThat(received.size()).isEqualTo(STEP_BYTES);
        subscription.request(2);
        assertThat(received.size()).isEqualTo(3 * STEP_BYTES);
        assertThat(isComplete).isTrue();
    }

    @Test
    void value_cancelled_comesNoFurther() {
        subscribe(3 * STEP_BYTES);
        subscription.request(1);
        subscription.cancel();
        subscription.request(2);
        assertThat(received.size()).isEqualTo(STEP_BYTES);
        assertThat(isComplete).isFalse();
    }
}
