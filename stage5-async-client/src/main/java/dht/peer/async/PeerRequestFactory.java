package dht.peer.async;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.RequestTrace;
import dht.http.Status;
import dht.peer.Credentials;
import dht.peer.Peer;
import dht.peer.PeerAnswer;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerAnswer.TimedOut;
import dht.peer.PeerAnswer.Unreachable;
import dht.peer.PeerOptions;
import dht.peer.PercentEncoder;
import dht.peer.inline.InlineValues;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Creates requests to one node for the JDK's client. Thread-safe. */
public final class PeerRequestFactory {
    /**
     * A request gets the timeout once more for each time that it sends or receives this many bytes.
     */
    private static final long BYTES_PER_TIMEOUT = 1 << 20;

    /** Percent-encoding writes a byte as at most this many characters. */
    private static final int ENCODED_BYTES_MAX = 3;

    private final NumericAddress address;
    private final HttpHeaders headers;
    private final Duration timeout;
    private volatile Targets known; // Null before the first request.

    /**
     * The beginnings of URIs, encoded once.
     *
     * @param url the node's URL with its IP address
     * @param value the beginning of the URI of most requests, up to the key
     * @param inline the same for a PUT with an inline value
     */
    private record Targets(String url, byte[] value, byte[] inline) {
        static Targets at(String url) {
            return new Targets(
                    url, upToKey(url + Peer.ENTITY_PATH), upToKey(url + InlineValues.PATH));
        }

        private static byte[] upToKey(String target) {
            return (target + "?id=").getBytes(ISO_8859_1);
        }
    }

    public PeerRequestFactory(NodeAddress node, Credentials credentials, PeerOptions options) {
        this(new NumericAddress(options.internalPort().of(node)), node, credentials, options);
    }

    PeerRequestFactory(
            NumericAddress address,
            NodeAddress node,
            Credentials credentials,
            PeerOptions options) {
        this.address = address;
        Map<String, List<String>> lines = new HashMap<>();
        credentials.headers(node).forEach((name, value) -> lines.put(name, List.of(value)));
        this.headers = HttpHeaders.of(lines, (_, _) -> true);
        this.timeout = options.requestTimeout();
    }

    private Targets targets() {
        String url = address.url();
        Targets targets = known;
        if (targets == null || !targets.url().equals(url)) {
            targets = Targets.at(url);
            known = targets;
        }
        return targets;
    }

    /**
     * Creates a request for one entity.
     *
     * @param timestampMicros the stamp of the version to be written, or 0
     * @param isTimed whether the client limits the time until the answer begins
     * @throws java.io.UncheckedIOException if the IP address of the node's host is not known
     */
    public HttpRequest request(EntityRequest request, long timestampMicros, boolean isTimed) {
        String parameters =
                number(Peer.TIMESTAMP_PARAMETER, timestampMicros)
                        + number(Peer.FROM_PARAMETER, request.from())
                        + number(RequestTrace.NUMBERS_PARAMETER, RequestTrace.of(request).number());
        Targets targets = targets();
        Optional<Duration> time =
                isTimed ? Optional.of(timeoutFor(request.valueBytes())) : Optional.empty();
        return switch (request) {
            case EntityRequest.Get get ->
                    new PeerRequest(
                            "GET",
                            uri(targets.value(), get.key(), parameters),
                            headers,
                            Optional.empty(),
                            time);
            case EntityRequest.Delete delete ->
                    new PeerRequest(
                            "DELETE",
                            uri(targets.value(), delete.key(), parameters),
                            headers,
                            Optional.empty(),
                            time);
            case EntityRequest.Put put when InlineValues.isInline(put) ->
                    new PeerRequest(
                            "PUT",
                            uri(
                                    targets.inline(),
                                    put.key(),
                                    parameters + InlineValues.parameter(put)),
                            headers,
                            Optional.of(BodyPublishers.noBody()),
                            time);
            case EntityRequest.Put put ->
                    new PeerRequest(
                            "PUT",
                            uri(targets.value(), put.key(), parameters),
                            headers,
                            Optional.of(new ValuePublisher(put.value())),
                            time);
        };
    }

    /** A query parameter; empty if the number is 0. */
    private static String number(String parameter, long number) {
        return number == 0 ? "" : "&" + parameter + "=" + number;
    }

    /**
     * The node's URL with its IP address. Returns the same object until the address changes.
     *
     * @throws java.io.UncheckedIOException if the IP address of the node's host is not known
     */
    public String url() {
        return address.url();
    }

    /**
     * Must be called with the answer to each request. If the answer shows that the node may have a
     * new address, the address is looked up again. Needs no memory and never throws.
     *
     * @param answer the answer to a request to the node
     */
    public void answered(PeerAnswer answer) {
        boolean isWrongNode =
                answer instanceof Answered answered
                        && answered.status() == Status.MISDIRECTED_REQUEST.code();
        if (isWrongNode || answer instanceof Unreachable || answer instanceof TimedOut) {
            address.failed();
        }
    }

    /** Creates a PUT request with these bytes as its body. */
    public HttpRequest put(URI target, byte[] body) {
        return new PeerRequest(
                "PUT",
                target,
                headers,
                Optional.of(BodyPublishers.ofByteArray(body)),
                Optional.empty());
    }

    private static URI uri(byte[] target, byte[] key, String parameters) {
        int parametersLength = parameters.length();
        byte[] text = new byte[target.length + ENCODED_BYTES_MAX * key.length + parametersLength];
        System.arraycopy(target, 0, text, 0, target.length);
        int end = PercentEncoder.encode(key, text, target.length);
        System.arraycopy(parameters.getBytes(ISO_8859_1), 0, text, end, parametersLength);
        return URI.create(new String(text, 0, end + parametersLength, ISO_8859_1));
    }

    /** How much time a request with this many bytes gets in addition to the timeout. */
    Duration extraFor(long bytes) {
        return timeout.multipliedBy(bytes / BYTES_PER_TIMEOUT);
    }

    /** How much time a request that sends or receives this many bytes gets in total. */
    public Duration timeoutFor(long bytes) {
        return timeout.plus(extraFor(bytes));
    }
}
