package dht.peer.async;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.peer.Credentials;
import dht.peer.Peer;
import dht.peer.PercentEncoder;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes requests to one node as the JDK's client takes them. Immutable and thread-safe. */
final class PeerRequests {
    /** For each so many bytes that are to be sent or received there is the timeout once more. */
    private static final long BYTES_PER_TIMEOUT = 1 << 20;

    private static final int ENCODED_BYTES_MAX = 3;

    private final byte[] target;
    private final byte[] inlineTarget;
    private final URI batchTarget;
    private final HttpHeaders headers;
    private final Duration timeout;

    PeerRequests(NodeAddress node, Credentials credentials, Duration timeout) {
        this.target = target(node, Peer.ENTITY_PATH);
        this.inlineTarget = target(node, InlineValues.PATH);
        this.batchTarget = URI.create(node.url() + Batch.PATH);
        Map<String, List<String>> lines = new HashMap<>();
        credentials.headers().forEach((name, value) -> lines.put(name, List.of(value)));
        this.headers = HttpHeaders.of(lines, (_, _) -> true);
        this.timeout = timeout;
    }

    private static byte[] target(NodeAddress node, String path) {
        return (node.url() + path + "?id=").getBytes(ISO_8859_1);
    }

    /**
     * @param parameters that go behind the key, such as {@code &timestamp=1}, or empty
     * @param isTimed whether the client is to watch over the time until the answer begins
     */
    HttpRequest request(EntityRequest request, String parameters, boolean isTimed) {
        Optional<Duration> time =
                isTimed ? Optional.of(timeoutFor(valueBytes(request))) : Optional.empty();
        return switch (request) {
            case EntityRequest.Get get ->
                    new PeerRequest(
                            "GET",
                            uri(target, get.key(), parameters),
                            headers,
                            Optional.empty(),
                            time);
            case EntityRequest.Delete delete ->
                    new PeerRequest(
                            "DELETE",
                            uri(target, delete.key(), parameters),
                            headers,
                            Optional.empty(),
                            time);
            case EntityRequest.Put put when InlineValues.isInline(put) ->
                    new PeerRequest(
                            "PUT",
                            uri(inlineTarget, put.key(), parameters + InlineValues.parameter(put)),
                            headers,
                            Optional.of(BodyPublishers.noBody()),
                            time);
            case EntityRequest.Put put ->
                    new PeerRequest(
                            "PUT",
                            uri(target, put.key(), parameters),
                            headers,
                            Optional.of(new ValuePublisher(put.value())),
                            time);
        };
    }

    /** One request for several questions. */
    HttpRequest batch(List<Question> questions) {
        return new PeerRequest(
                "PUT",
                batchTarget,
                headers,
                Optional.of(BodyPublishers.ofByteArray(Batch.ofQuestions(questions))),
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

    static long valueBytes(EntityRequest request) {
        return request instanceof EntityRequest.Put put ? put.value().byteSize() : 0;
    }

    /** How much longer than the timeout it may take to move so many bytes. */
    Duration extraFor(long bytes) {
        return timeout.multipliedBy(bytes / BYTES_PER_TIMEOUT);
    }

    /** How long it may take to move so many bytes there or back. */
    Duration timeoutFor(long bytes) {
        return timeout.plus(extraFor(bytes));
    }
}
