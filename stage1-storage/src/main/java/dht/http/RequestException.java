package dht.http;

/**
 * A request that is answered with an error before it reaches the service. An expected outcome, so
 * it carries no stack trace.
 */
final class RequestException extends Exception {
    private final transient Response response;

    RequestException(Response response) {
        super(null, null, false, false);
        this.response = response;
    }

    static RequestException badRequest(String line) {
        return new RequestException(Response.of(Status.BAD_REQUEST, line));
    }

    Response response() {
        return response;
    }
}
