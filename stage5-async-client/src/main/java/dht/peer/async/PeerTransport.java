package dht.peer.async;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.google.errorprone.annotations.concurrent.GuardedBy;
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
 * The JDK's HTTP client, and three kinds of threads in addition to the client's own: one thread
 * checks deadlines, one reports failures, and with {@link PeerExecutorKind#POOL} several read
 * answers.
 *
 * <p>A client does all its reading and writing on one thread, for all nodes. One client for all
 * nodes wakes its thread once for several requests. One client per node would need one thread per
 * node, and is not faster.
 *
 * <p>Thread-safe.
 */
public final class PeerTransport implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PeerTransport.class);

    /** A request that has ended is removed from the queue within this time. */
    private static final long CHECK_PAUSE_NANOS_MAX = MILLISECONDS.toNanos(50);

    private static final long FAILURE_IDLE_SECONDS_MAX = 10;

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final Duration connectTimeout;
    private final Executor executor;
    private final TimeoutThread timeoutThread = new TimeoutThread("peer-watch");
    private final ThreadPoolExecutor failureThread = failureThread();
    private final Executor failures = this::tell;
    private final List<ExecutorService> threads; // In the order in which they are ended.
    private volatile HttpClient client; // Null until it is needed.

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param connectTimeout how long connecting may take
     */
    public PeerTransport(PeerExecutorKind kind, Duration connectTimeout) {
        this(kind, connectTimeout, null);
    }

    /**
     * @param client null: a client is created when it is needed
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
     * Allows the client to repeat every request. A node may close an idle connection just before
     * the client sends a request on it. The client then repeats a GET by itself, but other methods
     * only with this property. Here all requests may be repeated. The client reads the property
     * once per JVM, before its first request.
     */
    private static void allowRetries() {
        String property = "jdk.httpclient.enableAllMethodRetry";
        if (System.getProperty(property) == null) {
            System.setProperty(property, "true");
        }
    }

    /** The thread exists only while there are failures. */
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

    /** The client for all nodes. It is closed with this transport. */
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
                .version(HttpClient.Version.HTTP_1_1) // Otherwise each request asks for HTTP/2.
                .proxy(HttpClient.Builder.NO_PROXY) // Otherwise each request looks for a proxy.
                .followRedirects(HttpClient.Redirect.NEVER)
                .sslContext(noTls()) // Otherwise it loads all root certificates.
                .connectTimeout(connectTimeout)
                .executor(executor)
                .build();
    }

    /**
     * Replaces the client if its thread has ended. The thread ends after an error, such as
     * exhausted memory, and the client then never sends anything again.
     */
    public void replaceEndedClient() {
        HttpClient used = client;
        if (used != null && used.isTerminated()) {
            replace(used);
        }
    }

    private synchronized void replace(HttpClient ended) {
        if (client == ended && !closed) {
            LOG.error(
                    "the HTTP client for other nodes has ended after an error: it is replaced by a new one");
            client = newClient();
        }
    }

    /**
     * A TLS context that trusts no certificate. It is not used, because nodes communicate without
     * TLS.
     */
    private static SSLContext noTls() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[0], null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no TLS", e);
        }
    }

    /**
     * Sends one request to a running server, only to load the client's classes. Loading takes some
     * time, and the first real requests would have to wait for it. Doesn't wait for the answer.
     *
     * @param server the URL of the server
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

    /** The thread that checks the deadlines of all requests on this transport. */
    public TimeoutThread timeoutThread() {
        return timeoutThread;
    }

    /**
     * An executor that reports failures on a separate thread; if that is impossible, on the
     * caller's thread.
     */
    Executor failures() {
        return failures;
    }

    private void tell(Runnable failure) {
        try {
            failureThread.execute(failure);
        } catch (RuntimeException | Error e) {
            // The thread has ended, or there is no memory for it.
            failure.run();
        }
    }

    /** Creates a queue for requests with about the same timeout. */
    public TimeoutQueue timeoutQueue(long usualDelayNanos) {
        return timeoutThread.queue(usualDelayNanos, CHECK_PAUSE_NANOS_MAX);
    }

    /**
     * Returns the client, or null if it was never needed. After this, it is not replaced any more.
     */
    private synchronized HttpClient ending() {
        closed = true;
        return client;
    }

    /** Ends requests in flight with a failure, and closes all connections. */
    @Override
    public void close() {
        HttpClient used = ending();
        if (used != null) {
            used.shutdownNow();
        }
        try {
            // The client first: its failures are reported on the other threads.
            boolean hasEnded = used == null || used.awaitTermination(CLOSE_TIMEOUT);
            for (ExecutorService ending : threads) {
                ending.shutdown();
                hasEnded &= ending.awaitTermination(CLOSE_TIMEOUT.toMillis(), MILLISECONDS);
            }
            if (!hasEnded) {
                LOG.error("the HTTP client for other nodes did not end within {}", CLOSE_TIMEOUT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            threads.forEach(ExecutorService::shutdownNow);
            timeoutThread.close();
        }
    }
}
