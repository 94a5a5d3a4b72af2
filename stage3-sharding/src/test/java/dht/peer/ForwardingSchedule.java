package dht.peer;

import static dht.peer.StubNode.bytes;
import static dht.peer.StubNode.readHead;
import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.Fingerprint;
import dht.cluster.NodeAddress;
import dht.http.HttpOptions;
import dht.http.HttpServer;
import dht.http.ListenAddress;
import dht.http.MemoryBudget;
import dht.http.RequestExecutor;
import dht.http.Router;
import dht.storage.Dao;
import dht.testkit.allocation.Allocations;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * One random schedule of a node that forwards requests to their owner and runs out of memory from
 * time to time. Each request must be answered without the help of a deadline. When there is memory
 * again, all connections must work. At the end, nothing may be held.
 */
final class ForwardingSchedule implements LongConsumer {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** The deadline is so long that it never ends a request. */
    private static final Duration NEVER = Duration.ofHours(1);

    private static final int CONNECTIONS = 2;
    private static final int STEPS = 20;
    private static final int LARGE_BYTES = 70_000;

    private static final HttpOptions OPTIONS =
            new HttpOptions(
                    1,
                    100,
                    16 << 10,
                    100,
                    Dao.MAX_VALUE_BYTES,
                    64 << 20,
                    4,
                    NEVER,
                    NEVER,
                    1,
                    NEVER,
                    Duration.ofMillis(100));

    private final MemoryBudget memory = new MemoryBudget(3 * LARGE_BYTES);
    private final HttpClient client = HttpClient.newHttpClient();
    private SplittableRandom random;
    private CyclicBarrier together;
    private String server;

    @Override
    public void accept(long seed) {
        Allocations.heal();
        random = new SplittableRandom(seed);
        together = new CyclicBarrier(CONNECTIONS);
        try (StubNode owner = new StubNode(this::talk)) {
            run(owner);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            Allocations.heal();
        }
    }

    /** The answer of the owner, with the size and the status that are written in the key. */
    private void talk(InputStream in, OutputStream out, int connection) throws Exception {
        while (true) {
            String head = readHead(in);
            in.skipNBytes(number(head, "Content-Length: "));
            if (head.contains("id=together")) {
                together.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
            if (head.contains("id=broken")) {
                return;
            }
            int status = head.contains("id=gone") ? 503 : 200;
            byte[] body = new byte[number(head, "size-")];
            String answer =
                    "HTTP/1.1 %d Some\r\nContent-Length: %d\r\n\r\n"
                            .formatted(head.startsWith("PUT") ? 201 : status, body.length);
            out.write(bytes(answer));
            out.write(body);
            out.flush();
        }
    }

    /** The number after a name; 0 if there is none. */
    private static int number(String head, String name) {
        int start = head.indexOf(name);
        if (start < 0) {
            return 0;
        }
        String rest = head.substring(start + name.length());
        return Integer.parseInt(rest.split("[^0-9]", 2)[0]);
    }

    private void run(StubNode owner) throws IOException {
        NodeAddress address = owner.address();
        PeerOptions options =
                new PeerOptions(
                        CONNECTIONS, 8, NEVER, NEVER, 1_000_000, NEVER, Duration.ofSeconds(1));
        PeerConnections connections = new PeerConnections(address, credentials(), options, memory);
        Peer peer = new Peer(address, new PeerHealth(address, options), connections);
        ListenAddress here = ListenAddress.free("127.0.0.1", 0);
        server = here.url();
        Router router =
                Router.forNode(
                        null, // Nobody asks for ranges.
                        new ForwardingService(peer),
                        RequestExecutor.inline(),
                        OPTIONS);
        try (HttpServer started = new HttpServer(here, OPTIONS, router)) {
            started.start();
            askWithoutMemory();
            checkNotStuck(connections);
        } finally {
            Allocations.heal();
            peer.close();
        }
        assertThat(connections.hasEnded()).as("threads of the peer have ended").isTrue();
    }

    private static Credentials credentials() {
        return new Credentials(
                new NodeAddress("self", 1), new Fingerprint("0123456789abcdef"), Optional.empty());
    }

    private void askWithoutMemory() {
        List<CompletableFuture<HttpResponse<byte[]>>> answers = new ArrayList<>();
        for (int step = 0; step < STEPS; step++) {
            if (random.nextInt(2) == 0) {
                long count = random.nextInt(3) == 0 ? random.nextInt(20) : 1;
                Allocations.fail(random.nextInt(60), count);
            }
            answers.add(ask(request()));
            if (random.nextInt(4) == 0) { // Else several are under way.
                answers.forEach(ForwardingSchedule::await);
            }
        }
        answers.forEach(ForwardingSchedule::await);
        Allocations.heal();
    }

    private HttpRequest.Builder request() {
        int size = random.nextInt(3) == 0 ? LARGE_BYTES : random.nextInt(100);
        return switch (random.nextInt(8)) {
            case 0 -> builder("broken");
            case 1 -> builder("gone-size-" + size);
            case 2, 3 -> builder("k").PUT(BodyPublishers.ofByteArray(new byte[size]));
            case 4 -> builder("k").DELETE();
            default -> builder("k-size-" + size);
        };
    }

    private HttpRequest.Builder builder(String key) {
        return HttpRequest.newBuilder(URI.create(server + "/v0/entity?id=" + key));
    }

    private CompletableFuture<HttpResponse<byte[]>> ask(HttpRequest.Builder request) {
        return client.sendAsync(request.build(), BodyHandlers.ofByteArray());
    }

    private static HttpResponse<byte[]> await(CompletableFuture<HttpResponse<byte[]>> answer) {
        return answer.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    /** Every connection serves a request, at the same time as the others. */
    private void checkNotStuck(PeerConnections connections) {
        for (int round = 0; round < 2; round++) {
            List<CompletableFuture<HttpResponse<byte[]>>> answers = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                answers.add(ask(builder("together-size-5")));
            }
            for (CompletableFuture<HttpResponse<byte[]>> answer : answers) {
                assertThat(await(answer).statusCode()).isEqualTo(200);
                assertThat(await(answer).body()).hasSize(5);
            }
        }
        assertThat(connections.waitingCount()).isZero();
        assertThat(memory.takenBytes()).as("memory of answers").isZero();
    }
}
