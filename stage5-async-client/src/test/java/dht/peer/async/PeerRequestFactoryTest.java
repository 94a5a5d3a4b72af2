package dht.peer.async;

import static dht.peer.async.StubNode.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.MemoryBudget;
import dht.http.OwnedBytes;
import dht.peer.PeerAnswer;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerAnswer.NoMemory;
import dht.peer.PeerAnswer.QueueFull;
import dht.peer.PeerAnswer.TimedOut;
import dht.peer.PeerAnswer.TooLarge;
import dht.peer.PeerAnswer.Unreachable;
import dht.peer.PeerOptions;
import dht.peer.TimeoutQueue;
import dht.testkit.concurrent.Deadline;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests to a node whose name gets another address with each lookup. */
class PeerRequestFactoryTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final NodeAddress NODE = new NodeAddress("node", 80);
    private static final PeerOptions OPTIONS =
            new PeerOptions(1, 1, TIMEOUT, TIMEOUT, 1, TIMEOUT, Duration.ZERO);

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger clockReads = new AtomicInteger();
    private final AtomicInteger lookups = new AtomicInteger();
    private final PeerRequestFactory requests =
            new PeerRequestFactory(
                    new NumericAddress(
                            NODE,
                            _ -> InetAddress.ofLiteral("192.0.2." + lookups.incrementAndGet()),
                            () -> {
                                clockReads.incrementAndGet();
                                return nanos.get();
                            }),
                    NODE,
                    TestPeers.CREDENTIALS,
                    OPTIONS);

    private static EntityRequest get() {
        return new EntityRequest.Get(bytes("k"), null);
    }

    private static EntityRequest put(int valueBytes) {
        return new EntityRequest.Put(bytes("k"), OwnedBytes.takeOver(new byte[valueBytes]), null);
    }

    private String uri() {
        try {
            return requests.request(get(), 0, false).uri().toString();
        } catch (UncheckedIOException e) {
            return e.getMessage(); // Not looked up yet.
        }
    }

    private void awaitAddress(int lookup) {
        String expected = "http://192.0.2." + lookup + ":80/internal/v0/entity?id=k";
        Deadline.in(LONG).await("a request to " + expected, () -> uri().equals(expected));
    }

    private static Answered answered(int status) {
        return new Answered(status, 0, OwnedBytes.takeOver(new byte[0]), () -> {});
    }

    private static Stream<PeerAnswer> answersOfAnotherNode() {
        return Stream.of(answered(421), new Unreachable("refused"), new TimedOut());
    }

    @ParameterizedTest
    @MethodSource("answersOfAnotherNode")
    void answer_thatMayComeFromAnotherNode_hasTheNameLookedUp(PeerAnswer answer) {
        awaitAddress(1);
        nanos.addAndGet(NumericAddress.RETRY_NANOS);
        Deadline.in(LONG)
                .await(
                        "it is looked up",
                        () -> {
                            requests.answered(answer); // The lookup before may not have ended.
                            return lookups.get() == 2;
                        });
        awaitAddress(2);
    }

    private static Stream<PeerAnswer> answersOfTheNode() {
        return Stream.of(
                answered(200), answered(503), new TooLarge(), new NoMemory(), new QueueFull());
    }

    @ParameterizedTest
    @MethodSource("answersOfTheNode")
    void answer_thatComesFromTheNode_changesNothing(PeerAnswer answer) {
        awaitAddress(1);
        nanos.addAndGet(NumericAddress.RETRY_NANOS);
        int before = clockReads.get();
        requests.answered(answer);
        assertThat(clockReads).as("no lookup is due").hasValue(before);
    }

    @Test
    void exchange_thatFails_hasTheNameLookedUp() {
        awaitAddress(1);
        nanos.addAndGet(NumericAddress.RETRY_NANOS);
        List<PeerAnswer> told = new ArrayList<>();
        try (var transport = new PeerTransport(PeerExecutorKind.DIRECT, TIMEOUT)) {
            TimeoutQueue timeouts = new TimeoutQueue(() -> {}, 1, 1, () -> 0);
            var context =
                    new AsyncExchange.Context(
                            transport, requests, timeouts, new MemoryBudget(0), () -> {});
            Deadline.in(LONG)
                    .await(
                            "it is looked up",
                            () -> {
                                new AsyncExchange(context, told::add)
                                        .begin(
                                                () -> {
                                                    throw new IllegalStateException("no request");
                                                },
                                                System.nanoTime(),
                                                1);
                                return lookups.get() == 2;
                            });
        }
        assertThat(told).isNotEmpty().containsOnly(new Unreachable("no request"));
    }

    @Test
    void request_thatIsTimed_hasMoreTimeForALargeValue() {
        awaitAddress(1);
        assertThat(requests.request(get(), 0, false).timeout()).isEmpty();
        assertThat(requests.request(get(), 0, true).timeout()).contains(TIMEOUT);
        HttpRequest large = requests.request(put(2 << 20), 7, true);
        assertThat(large.timeout()).contains(TIMEOUT.multipliedBy(3));
        assertThat(large.uri()).hasQuery("id=k&timestamp=7");
    }
}
