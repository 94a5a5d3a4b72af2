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
            if (overdue) { // Before there was anything to cancel.
                future.cancel(true);
            }
        } catch (RuntimeException | Error e) {
            end(AnswerFailures.answer(e));
        }
    }
}
