package dht.peer.async;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The JDK's HTTP clients, one a node, and the threads beside them: one that watches over the time
 * and is told of failures, and with {@link PeerExecutorKind#POOL} some that read answers.
 *
 * <p>A client does all its reading and writing on one thread, however many nodes it asks. With one
 * a node, a write goes to all of them at the same time.
 *
 * <p>Thread-safe.
 */
public final class PeerTransport implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PeerTransport.class);

    /** What has ended within that is forgotten by then. */
    private static final long WATCH_PAUSE_NANOS_MAX = MILLISECONDS.toNanos(50);

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final Duration connectTimeout;
    private final Executor executor;
    private final List<HttpClient> clients = new CopyOnWriteArrayList<>();
    private final ScheduledThreadPoolExecutor watch;
    private final AutoCloseable answerThreads;

    /**
     * @param connectTimeout for a connection to be made
     */
    public PeerTransport(PeerExecutorKind kind, Duration connectTimeout) {
        allowRetries();
        this.connectTimeout = connectTimeout;
        this.watch = new ScheduledThreadPoolExecutor(1, named("peer-watch"));
        this.executor =
                switch (kind) {
                    case DIRECT -> {
                        answerThreads = () -> {};
                        yield Runnable::run;
                    }
                    case POOL -> {
                        var pool =
                                Executors.newFixedThreadPool(
                                        Runtime.getRuntime().availableProcessors(),
                                        named("peer-answer"));
                        answerThreads = pool::shutdownNow;
                        yield pool;
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

    private static ThreadFactory named(String name) {
        AtomicInteger count = new AtomicInteger();
        return task ->
                Thread.ofPlatform().name(name + "-" + count.incrementAndGet()).unstarted(task);
    }

    /** A client for one node, which is closed along with this. */
    HttpClient openClient() {
        HttpClient client =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1) // Else each request asks for HTTP/2.
                        .proxy(HttpClient.Builder.NO_PROXY) // Else each one looks for a proxy.
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .connectTimeout(connectTimeout)
                        .executor(executor)
                        .build();
        clients.add(client);
        return client;
    }

    /** Where time is watched over; what it is given neither blocks nor throws. */
    public ScheduledExecutorService watch() {
        return watch;
    }

    /** For requests that must be over within a time. */
    DueQueue timeouts() {
        return new DueQueue(watch, WATCH_PAUSE_NANOS_MAX, System::nanoTime);
    }

    /** Ends requests in flight, and closes all connections. */
    @Override
    public void close() {
        clients.forEach(HttpClient::shutdownNow);
        watch.shutdownNow();
        try {
            boolean hasEnded = watch.awaitTermination(CLOSE_TIMEOUT.toMillis(), MILLISECONDS);
            for (HttpClient client : clients) {
                hasEnded &= client.awaitTermination(CLOSE_TIMEOUT);
            }
            if (!hasEnded) {
                LOG.error("the clients of other nodes did not end within {}", CLOSE_TIMEOUT);
            }
            answerThreads.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LOG.error("cannot close the clients of other nodes", e);
        }
    }
}
