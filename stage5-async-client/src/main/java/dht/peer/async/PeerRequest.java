package dht.peer.async;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Optional;

/**
 * A request to another node. All requests to a node have the same headers. {@link
 * HttpRequest#newBuilder} would check and copy these headers for each request, and the client does
 * both again anyway. So the builder is not used.
 *
 * <p>Immutable.
 */
final class PeerRequest extends HttpRequest {
    private final String method;
    private final URI uri;
    private final HttpHeaders headers;
    private final Optional<BodyPublisher> body;
    private final Optional<Duration> timeout;

    PeerRequest(
            String method,
            URI uri,
            HttpHeaders headers,
            Optional<BodyPublisher> body,
            Optional<Duration> timeout) {
        this.method = method;
        this.uri = uri;
        this.headers = headers;
        this.body = body;
        this.timeout = timeout;
    }

    @Override
    public String method() {
        return method;
    }

    @Override
    public URI uri() {
        return uri;
    }

    @Override
    public HttpHeaders headers() {
        return headers;
    }

    @Override
    public Optional<BodyPublisher> bodyPublisher() {
        return body;
    }

    @Override
    public Optional<Duration> timeout() {
        return timeout;
    }

    @Override
    public boolean expectContinue() {
        return false;
    }

    @Override
    public Optional<HttpClient.Version> version() {
        return Optional.empty();
    }
}
