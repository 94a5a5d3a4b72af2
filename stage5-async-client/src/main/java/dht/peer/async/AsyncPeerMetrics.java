package dht.peer.async;

import dht.peer.RemoteNode;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;

/** Publishes the metrics of requests to other nodes that only stage 5 has. Stateless. */
public final class AsyncPeerMetrics {
    private AsyncPeerMetrics() {}

    /**
     * Publishes how many messages were sent to each node.
     *
     * @param peers all other nodes; those that are not an {@link AsyncPeer} are ignored
     */
    public static void watch(List<RemoteNode> peers, PrometheusRegistry registry) {
        List<AsyncPeer> asyncPeers =
                peers.stream()
                        .filter(AsyncPeer.class::isInstance)
                        .map(AsyncPeer.class::cast)
                        .toList();
        CounterWithCallback.builder()
                .name("peer_messages")
                .help("Messages sent to another node; a message may contain several requests.")
                .labelNames("peer")
                .callback(
                        sample ->
                                asyncPeers.forEach(
                                        peer ->
                                                sample.call(
                                                        peer.messageCount(), peer.address().url())))
                .register(registry);
    }
}
