package dht.peer.async;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dht.http.MemoryBudget;
import dht.peer.TimeoutQueue;
import dht.peer.TimeoutThread;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The JDK's HTTP client, and the threads beside its own: one that looks at deadlines, one that
 * reports failures, and with {@link PeerExecutorKind#POOL} some that read answers.
 *
 * <p>A client does all its reading and writing on one thread, however many nodes it asks. One for
 * all nodes is woken up once for several requests; one a node costs a thread each, and is not
 * faster.
 *
 * <p>Thread-safe.
 */
public final class PeerTransport implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PeerTransport.class);

    /** A request that has ended is forgotten within this time. */
    private static final long LOOK_PAUSE_NANOS_MAX = MILLISECONDS.toNanos(50);

    private static final long FAILURE_IDLE_SECONDS_MAX = 10;

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final Duration connectTimeout;
    private final Executor executor;
    private final TimeoutThread timeoutThread = new TimeoutThread("peer-watch");
    private final ThreadPoolExecutor failureThread = failureThread();
    private final Executor failures = this::tell;
    private final List<ExecutorService> threads; // In the order in which they end.
    private volatile HttpClient client; // Null until somebody needs it.
    private boolean closed; // Guarded by this.

    /**
     * @param connectTimeout for a connection to be made
     */
    public PeerTransport(PeerExecutorKind kind, Duration connectTimeout) {
        this(kind, connectTimeout, null);
    }

    /**
     * @param client null to have one made
     */
    PeerTransport(PeerExecutorKind kind, Duration connectTimeout, HttpClient client) {
        allowRetries();
        this.client = client;
        this.connectTimeout = connectTimeout;
        this.executor =
                switch (kind) {
                    case DIRECT -> {
                        threads = List.of(failureThread);
                        yield Runnable::run;
                    }
                    case POOL -> {
                        ExecutorService answers =
                                Executors.newFixedThreadPool(
                                        Runtime.getRuntime().availableProcessors(),
                                        named("peer-answer"));
                        threads = List.of(failureThread, answers);
                        yield answers;
                    }
                };
    }

    /**
     * A connection from the pool may have been closed by the node while nobody looked. The client
     * then sends a GET again, by itself; of what else may be sent twice it must be told. Here it is
     * everything. The client reads this once in a JVM, before its first request.
     */
    private static void allowRetries() {
        String property = "jdk.httpclient.enableAllMethodRetry";
        if (System.getProperty(property) == null) {
            System.setProperty(property, "true");
        }
    }

    /** Runs only while there are failures. */
    private static ThreadPoolExecutor failureThread() {
        ThreadPoolExecutor thread =
                new ThreadPoolExecutor(
                        1,
                        1,
                        FAILURE_IDLE_SECONDS_MAX,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        named("peer-failure"));
        thread.allowCoreThreadTimeOut(true);
        return thread;
    }

    private static ThreadFactory named(String name) {
        AtomicInteger count = new AtomicInteger();
        return task ->
                Thread.ofPlatform().name(name + "-" + count.incrementAndGet()).unstarted(task);
    }

    /** For all nodes; closed along with this. */
    public HttpClient client() {
        HttpClient made = client;
        return made == null ? firstClient() : made;
    }

    private synchronized HttpClient firstClient() {
        if (client == null) {
            client = newClient();
        }
        return client;
    }

    private HttpClient newClient() {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1) // Else each asks for HTTP/2.
                .proxy(HttpClient.Builder.NO_PROXY) // Else each looks for a proxy.
                .followRedirects(HttpClient.Redirect.NEVER)
                .sslContext(noTls()) // Else it loads every authority's certificate.
                .connectTimeout(connectTimeout)
                .executor(executor)
                .build();
    }

    /**
     * A client whose thread has met an error, such as want of memory, never asks anything again.
     */
    public void replaceEndedClient() {
        HttpClient used = client;
        if (used != null && used.isTerminated()) {
            replace(used);
        }
    }

    private synchronized void replace(HttpClient ended) {
        if (client == ended && !closed) {
            LOG.error("the client of other nodes has ended by itself: another one takes its place");
            client = newClient();
        }
    }

    /** Trusts nobody: nodes are asked in plain text. */
    private static SSLContext noTls() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[0], null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has TLS", e);
        }
    }

    /**
     * Asks a server that answers, for nothing but to load what the client consists of: that takes a
     * while, and the first requests would wait for it. Doesn't wait for the answer.
     *
     * @param server its URL
     */
    public void warmUp(String server) {
        HttpClient used = client;
        if (used != null) {
            HttpRequest request =
                    new PeerRequest(
                            "GET",
                            URI.create(server + "/v0/status"),
                            HttpHeaders.of(Map.of(), (_, _) -> true),
                            Optional.empty(),
                            Optional.of(connectTimeout));
            MemoryBudget none = new MemoryBudget(0);
            used.sendAsync(request, info -> new AnswerBody(info, none, _ -> {}));
        }
    }

    /** Looks at the deadlines of all that uses this transport. */
    public TimeoutThread timeoutThread() {
        return timeoutThread;
    }

    /** Reports failures on a thread of its own; where there is none, on the caller's. */
    Executor failures() {
        return failures;
    }

    private void tell(Runnable failure) {
        try {
            failureThread.execute(failure);
        } catch (RuntimeException | Error e) { // It has ended, or there is no memory for it.
            failure.run();
        }
    }

    /** A queue for deadlines that are about equally far away. */
    public TimeoutQueue timeoutQueue(long turnNanosMax) {
        return timeoutThread.queue(turnNanosMax, LOOK_PAUSE_NANOS_MAX);
    }

    /** Null if nobody needed it; no other one takes its place any more. */
    private synchronized HttpClient ending() {
        closed = true;
        return client;
    }

    /** Ends requests in flight, which are told so, and closes all connections. */
    @Override
    public void close() {
        HttpClient used = ending();
        if (used != null) {
            used.shutdownNow();
        }
        try {
            // Before the threads, as its failures are told there.
            boolean hasEnded = used == null || used.awaitTermination(CLOSE_TIMEOUT);
            for (ExecutorService ending : threads) {
                ending.shutdown();
                hasEnded &= ending.awaitTermination(CLOSE_TIMEOUT.toMillis(), MILLISECONDS);
            }
            if (!hasEnded) {
                LOG.error("the client of other nodes did not end within {}", CLOSE_TIMEOUT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            threads.forEach(ExecutorService::shutdownNow);
            timeoutThread.close();
        }
    }
}
