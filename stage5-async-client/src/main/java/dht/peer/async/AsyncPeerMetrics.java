package dht.peer.async;

import dht.peer.RemoteNode;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;

/** Metrics of requests to other nodes that only stage 5 has. */
public final class AsyncPeerMetrics {
    private AsyncPeerMetrics() {}

    /**
     * @param peers all other nodes; those that are not an {@link AsyncPeer} are ignored
     */
    public static void watch(List<RemoteNode> peers, PrometheusRegistry registry) {
        List<AsyncPeer> asked =
                peers.stream()
                        .filter(AsyncPeer.class::isInstance)
                        .map(AsyncPeer.class::cast)
                        .toList();
        CounterWithCallback.builder()
                .name("peer_messages")
                .help("Messages sent to another node; a message may contain several requests.")
                .labelNames("peer")
                .callback(
                        told ->
                                asked.forEach(
                                        peer ->
                                                told.call(
                                                        peer.messageCount(), peer.address().url())))
                .register(registry);
    }
}
