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
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The JDK's HTTP client, together with the threads that it needs besides its own: one thread checks
 * deadlines, one thread reports failures, and with {@link PeerExecutorKind#POOL} a pool of threads
 * reads answers.
 *
 * <p>There is one client for all nodes. One thread of the client waits for all connections. So one
 * wake-up of this thread can serve several requests. One client per node would need one thread per
 * node, and would not be faster.
 *
 * <p>Thread-safe.
 */
public final class PeerTransport implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PeerTransport.class);

    /** The longest time between two checks of a timeout queue that has entries. */
    private static final long CHECK_PAUSE_NANOS_MAX = MILLISECONDS.toNanos(50);

    private static final long FAILURE_IDLE_SECONDS_MAX = 10;

    /** How long closing waits for the client, and for each kind of thread. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final Duration connectTimeout;
    private final Executor executor;
    private final TimeoutThread timeoutThread = new TimeoutThread("peer-watch");
    private final ThreadPoolExecutor failureThread = failureThread();
    private final Executor failures = this::report;
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
     * the client sends a request on it. The client then repeats the request: a GET always, other
     * methods only if this property is set. Here every request may be repeated, because a write
     * carries its stamp. The client reads the property once per JVM, before its first request. A
     * property that is already set is not changed.
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
        HttpClient existing = client;
        return existing == null ? firstClient() : existing;
    }

    private synchronized HttpClient firstClient() {
        if (client == null) {
            client = newClient();
        }
        return client;
    }

    /**
     * Creates a client. Each setting switches off something that nodes don't need. The upgrade to
     * HTTP/2 and the search for a proxy would cost time in each request. TLS would cost time when
     * the client starts. Nodes do not redirect requests.
     */
    private HttpClient newClient() {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .proxy(HttpClient.Builder.NO_PROXY)
                .followRedirects(HttpClient.Redirect.NEVER)
                .sslContext(NoTls.context())
                .connectTimeout(connectTimeout)
                .executor(executor)
                .build();
    }

    /**
     * Replaces the client if its thread has ended. This happens after an error such as exhausted
     * memory; a client without its thread never sends anything again.
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
                    "the HTTP client for other nodes has ended after an error: a new one replaces it");
            client = newClient();
        }
    }

    /**
     * Sends one request to a running server, so that the client's classes are loaded. Loading takes
     * some time; otherwise the first real requests would wait for it. Doesn't wait for the answer.
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
     * An executor that handles failures on a separate thread; if that is impossible, on the
     * caller's thread.
     */
    Executor failures() {
        return failures;
    }

    private void report(Runnable failure) {
        try {
            failureThread.execute(failure);
            // The last thread may have ended, and a new one may have failed to start. Then no
            // thread would run the task.
            if (failureThread.getPoolSize() == 0 && failureThread.remove(failure)) {
                failure.run();
            }
        } catch (RuntimeException | Error e) {
            // The thread has ended, or there is no memory for it.
            failure.run();
        }
    }

    /**
     * Creates a queue for requests with about the same timeout.
     *
     * @param usualDelayNanos the usual timeout, greater than 0
     */
    public TimeoutQueue timeoutQueue(long usualDelayNanos) {
        return timeoutThread.queue(usualDelayNanos, CHECK_PAUSE_NANOS_MAX);
    }

    /**
     * Makes sure that the client is not replaced any more, and returns it; null if it was never
     * needed.
     */
    private synchronized HttpClient markClosed() {
        closed = true;
        return client;
    }

    /**
     * Ends requests in flight with a failure, closes all connections, and ends the threads. Waits
     * for the client, for the thread of failures and for the pool for at most {@link
     * #CLOSE_TIMEOUT} each; does not wait for them if the caller is interrupted. Handles the
     * failures that are left then. Waits for the thread of deadlines until its current action has
     * returned.
     */
    @Override
    public void close() {
        HttpClient used = markClosed();
        try {
            if (used != null) {
                used.shutdownNow();
            }
            // The client first: its failures are reported on the other threads.
            boolean hasEnded = used == null || used.awaitTermination(CLOSE_TIMEOUT);
            for (ExecutorService service : threads) {
                service.shutdown();
                hasEnded &= service.awaitTermination(CLOSE_TIMEOUT.toMillis(), MILLISECONDS);
            }
            if (!hasEnded) {
                LOG.error(
                        "the HTTP client for other nodes, or a thread of its answers, did not end within {}",
                        CLOSE_TIMEOUT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            threads.forEach(ExecutorService::shutdown);
            handleRest();
            timeoutThread.close();
        }
    }

    /**
     * Handles the failures that no thread has taken: each belongs to a request that must get its
     * answer. The thread of failures is not interrupted, because it may be storing a hint.
     */
    private void handleRest() {
        Queue<Runnable> rest = failureThread.getQueue();
        for (Runnable failure; (failure = rest.poll()) != null; ) {
            try {
                failure.run();
            } catch (RuntimeException | Error e) {
                LOG.error("cannot end a request to another node", e);
            }
        }
    }
}
