package dht.benchmarks.floor;

import dht.http.JavaSockets;
import java.net.URI;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiConsumer;
import one.nio.http.HttpClient;
import one.nio.http.Response;
import one.nio.net.ConnectionString;

/** Asks one after the other by one-nio's client, which blocks a thread. Thread-safe. */
final class OneNioOthers implements Others {
    private static final int THREADS = 16;

    private final List<HttpClient> others;
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    OneNioOthers(List<URI> others) {
        JavaSockets.choose(); // They are opened before the server is.
        this.others =
                others.stream()
                        .map(other -> other + "?clientMaxPoolSize=" + THREADS)
                        .map(text -> new HttpClient(new ConnectionString(text)))
                        .toList();
    }

    @Override
    public void ask(String target, byte[] value, BiConsumer<byte[], Throwable> receiver) {
        threads.execute(() -> askAll(target, value, receiver));
    }

    private void askAll(String target, byte[] value, BiConsumer<byte[], Throwable> receiver) {
        byte[] first = null;
        try {
            for (HttpClient other : others) {
                Response answer = value == null ? other.get(target) : other.put(target, value);
                first = first == null ? answer.getBody() : first;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            receiver.accept(null, e);
            return;
        } catch (Exception e) {
            receiver.accept(null, e);
            return;
        }
        receiver.accept(first, null);
    }

    @Override
    public void close() {
        threads.shutdownNow();
        others.forEach(HttpClient::close);
    }
}
