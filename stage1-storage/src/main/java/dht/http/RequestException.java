package dht.http;

/**
 * A request that is answered with an error instead of being served. An expected outcome, so it
 * carries no stack trace.
 */
public final class RequestException extends Exception {
    private final transient Response response;

    RequestException(Response response) {
        super(null, null, false, false);
        this.response = response;
    }

    /**
     * @param line what is wrong with the request
     */
    public static RequestException badRequest(String line) {
        return new RequestException(Response.of(Status.BAD_REQUEST, line));
    }

    public Response response() {
        return response;
    }
}
