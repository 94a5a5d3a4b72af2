import java.net.http.HttpClient;

class AsyncExchange {
    void begin(Supplier<HttpRequest> request, long sentNanos, long timeout) {
        beganNanos = sentNanos;
        timeoutNanos = timeout;
        try {
            context.timeouts().add(this, timeout);
            HttpClient client =
                    HttpClient.newBuilder()
                            .version(HttpClient.Version.HTTP_1_1)
                            .followRedirects(HttpClient.Redirect.NEVER)
                            .executor(Runnable::run)
                            .build();
            CompletableFuture<HttpResponse<PeerAnswer>> future =
                    client.sendAsync(request.get(), this);
            client.shutdown(); // Once it has the answer.
            sent = future;
            withFailureHandler = future.exceptionallyAsync(this::fail, context.transport().failures());
            if (overdue) { // The timeout came before there was a future to cancel.
                future.cancel(true);
            }
        } catch (RuntimeException | Error e) {
            mustCancel = sent != null; // Before the end, so that the timeout queue keeps this.
            endWithBody(e);
            if (overdue) { // It has left the timeout queue. To add it again needs no memory.
                context.timeouts().add(this, 0);
            }
        }
    }
}
