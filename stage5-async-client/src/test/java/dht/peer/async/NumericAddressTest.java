package dht.peer.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.cluster.NodeAddress;
import dht.testkit.concurrent.Deadline;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NumericAddressTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final String FIRST = "http://192.0.2.1:80";
    private static final String NO_MEMORY = "no memory";
    private static final String SECOND = "http://192.0.2.2:80";

    /** A name server that answers what the test wants, when it wants. */
    private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();

    private final SynchronousQueue<String> answers = new SynchronousQueue<>();
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // Which soon overflows.

    private volatile Thread thread; // Of the last lookup.

    private NumericAddress address(String host) {
        return new NumericAddress(new NodeAddress(host, 80), this::find, nanos::get);
    }

    private InetAddress find(String host) throws UnknownHostException {
        thread = Thread.currentThread();
        asked.add(host);
        try {
            String answer = answers.take();
            if (answer.equals(NO_MEMORY)) {
                throw new OutOfMemoryError("a failure of the test");
            }
            if (answer.isEmpty()) {
                throw new UnknownHostException(host);
            }
            return InetAddress.ofLiteral(answer);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void answer(String number) throws InterruptedException {
        assertThat(asked.poll(LONG.toSeconds(), TimeUnit.SECONDS)).isEqualTo("node");
        assertThat(answers.offer(number, LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    private static void await(String expected, Supplier<String> url) {
        Deadline.in(LONG).await("the address is " + expected, () -> expected.equals(told(url)));
    }

    private static String told(Supplier<String> url) {
        try {
            return url.get();
        } catch (UncheckedIOException e) {
            return null;
        }
    }

    /** By host name, after it was looked up. */
    private NumericAddress found() throws InterruptedException {
        NumericAddress address = address("node");
        answer("192.0.2.1");
        await(FIRST, address::url);
        return address;
    }

    /** In a server, a failure that leaves a thread ends the process. */
    @Test
    void lookup_withoutMemory_isTriedAgainAndLeavesNoFailure() throws Exception {
        List<Throwable> uncaught = new CopyOnWriteArrayList<>();
        var handler = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((_, failure) -> uncaught.add(failure));
        try {
            NumericAddress address = address("node");
            answer(NO_MEMORY);
            assertThat(thread.join(LONG)).as("it ends").isTrue();
            assertThat(uncaught).isEmpty();
            nanos.addAndGet(NumericAddress.RETRY_NANOS);
            told(address::url);
            answer("192.0.2.1");
            await(FIRST, address::url);
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(handler);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"192.0.2.1", "[2001:db8:0:0:0:0:0:1]"})
    void number_isNotLookedUp(String host) {
        NumericAddress address = address(host);
        nanos.addAndGet(NumericAddress.FRESH_NANOS);
        assertThat(address.url()).isEqualTo("http://" + host + ":80");
        assertThat(asked).isEmpty();
    }

    @Test
    void name_isNotWaitedFor() throws Exception {
        NumericAddress address = address("node");
        assertThatThrownBy(address::url)
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("no address is known for node");
        answer("192.0.2.1");
        await(FIRST, address::url);
    }

    @Test
    void name_thatIsBeingLookedUp_isNotLookedUpOnceMore() throws Exception {
        NumericAddress address = address("node");
        for (int i = 0; i < 10; i++) {
            assertThat(told(address::url)).isNull();
            address.failed();
        }
        answer("192.0.2.1");
        await(FIRST, address::url);
        assertNotAsked();
    }

    @Test
    void name_ofAnIpV6Address_isInBrackets() throws Exception {
        NumericAddress address = address("node");
        answer("2001:db8:0:0:0:0:0:1");
        await("http://[2001:db8:0:0:0:0:0:1]:80", address::url);
    }

    @Test
    void number_whileAnotherIsLookedFor_isTheOneBefore() throws Exception {
        NumericAddress address = found();
        assertThat(address.url()).isSameAs(address.url());
        assertNotAsked();
        nanos.addAndGet(NumericAddress.FRESH_NANOS);
        assertThat(address.url()).isEqualTo(FIRST);
        answer("192.0.2.2");
        await(SECOND, address::url);
    }

    @Test
    void number_whenNoneIsFoundAnyMore_isTheLastOne() throws Exception {
        NumericAddress address = found();
        nanos.addAndGet(NumericAddress.FRESH_NANOS);
        assertThat(address.url()).isEqualTo(FIRST);
        answer("");
        Deadline.in(LONG)
                .await(
                        "it is looked for again",
                        () -> {
                            nanos.addAndGet(NumericAddress.RETRY_NANOS);
                            assertThat(address.url()).isEqualTo(FIRST);
                            return !asked.isEmpty();
                        });
        answer("192.0.2.2");
        await(SECOND, address::url);
    }

    @Test
    void name_afterAFailure_isLookedUpAtOnce() throws Exception {
        NumericAddress address = found();
        nanos.addAndGet(NumericAddress.RETRY_NANOS);
        awaitQuestionAfterFailure(address);
        answer("192.0.2.2");
        await(SECOND, address::url);
    }

    @Test
    void name_afterManyFailures_isLookedUpOnceASecond() throws Exception {
        NumericAddress address = found();
        for (int i = 0; i < 100; i++) {
            address.failed();
            assertThat(address.url()).isEqualTo(FIRST);
        }
        assertNotAsked();
        nanos.addAndGet(NumericAddress.RETRY_NANOS);
        awaitQuestionAfterFailure(address);
        answer("192.0.2.2");
        await(SECOND, address::url);
    }

    @Test
    void number_afterAFailure_isNotLookedUp() {
        NumericAddress address = address("192.0.2.1");
        nanos.addAndGet(NumericAddress.RETRY_NANOS);
        address.failed();
        assertThat(asked).isEmpty();
    }

    /** A lookup begins on a thread of its own, a moment later. */
    private void assertNotAsked() throws InterruptedException {
        assertThat(asked.poll(200, TimeUnit.MILLISECONDS)).isNull();
    }

    /** Waits, because the first lookup may not have ended completely. */
    private void awaitQuestionAfterFailure(NumericAddress address) {
        Deadline.in(LONG)
                .await(
                        "it is looked for",
                        () -> {
                            address.failed();
                            return !asked.isEmpty();
                        });
    }
}
