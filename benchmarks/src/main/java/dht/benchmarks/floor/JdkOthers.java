package dht.benchmarks.floor;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.function.BiConsumer;

/** Asks all at once by the JDK's client, as its documentation shows it. Thread-safe. */
final class JdkOthers implements Others {
    private final List<URI> others;
    private final Optional<Executor> executor;
    private final HttpClient client;

    /**
     * @param executor of the client, or none for its own; closed along with this if it is a pool
     */
    JdkOthers(List<URI> others, Optional<Executor> executor) {
        this.others = others;
        this.executor = executor;
        HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
        executor.ifPresent(builder::executor);
        this.client = builder.build();
    }

    @Override
    public void ask(String target, byte[] value, BiConsumer<byte[], Throwable> receiver) {
        List<CompletableFuture<HttpResponse<byte[]>>> answers =
                others.stream().map(other -> ask(other.resolve(target), value)).toList();
        CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .whenComplete(
                        (_, failure) ->
                                receiver.accept(
                                        failure == null ? answers.getFirst().join().body() : null,
                                        failure));
    }

    private CompletableFuture<HttpResponse<byte[]>> ask(URI uri, byte[] value) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri);
        if (value != null) {
            request.PUT(HttpRequest.BodyPublishers.ofByteArray(value));
        }
        return client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    @Override
    public void close() {
        client.shutdownNow();
        executor.ifPresent(
                each -> {
                    if (each instanceof ExecutorService pool) {
                        pool.shutdownNow();
                    }
                });
    }
}
