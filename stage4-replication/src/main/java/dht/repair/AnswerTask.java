package dht.repair;

import dht.http.RequestException;
import dht.http.RequestExecutor;
import dht.http.Responder;
import dht.http.Response;

/** Computes an answer on a thread of the pool, and sends it. Used once. */
record AnswerTask(Work work, Responder responder) implements RequestExecutor.Task {
    private static final String CONTENT_TYPE = "application/octet-stream";

    /** Computes the body of an answer. */
    @FunctionalInterface
    interface Work {
        byte[] body() throws Exception;
    }

    @Override
    public void run() {
        try {
            responder.respond(Response.text(CONTENT_TYPE, work.body()));
        } catch (RequestException e) {
            responder.respond(e.response());
        } catch (Throwable e) {
            responder.fail(e);
        }
    }

    @Override
    public void refuse(Response answer) {
        responder.respond(answer);
    }
}
