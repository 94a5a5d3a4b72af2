package dht.http;

/** A service that is called on an executor's threads. Thread-safe. */
record ExecutedService(EntityService service, RequestExecutor executor) implements EntityService {
    @Override
    public void serve(EntityRequest request, Responder responder) {
        responder.trace().queued();
        executor.execute(new ServeTask(service, request, responder));
    }

    private record ServeTask(EntityService service, EntityRequest request, Responder responder)
            implements RequestExecutor.Task {
        @Override
        public void run() {
            responder.trace().begun();
            try {
                service.serve(request, responder);
            } catch (Throwable e) {
                responder.fail(e);
            } finally {
                responder.trace().left();
            }
        }

        @Override
        public void refuse(Response answer) {
            responder.respond(answer);
        }
    }
}
