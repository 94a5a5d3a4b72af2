package dht.peer;

import dht.sharding.ShardedEntityService;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Locale;
import java.util.function.ToLongFunction;

/** Publishes metrics of this node's requests to other nodes. Thread-safe. */
public final class PeerMetrics {
    private final PrometheusRegistry registry;

    public PeerMetrics(PrometheusRegistry registry) {
        this.registry = registry;
    }

    /**
     * Publishes how many requests were served here or forwarded, and the outcomes of the forwarded
     * ones.
     */
    public void watch(ShardedEntityService service, Peers peers) {
        watch(service);
        watch(peers);
    }

    private void watch(ShardedEntityService service) {
        CounterWithCallback.builder()
                .name("requests_routed")
                .help("Requests for entities, by where their key is stored.")
                .labelNames("route")
                .callback(
                        sample -> {
                            sample.call(service.localCount(), "local");
                            sample.call(service.forwardedCount(), "forwarded");
                        })
                .register(registry);
    }

    /**
     * Publishes the outcomes of requests to other nodes, their queues and their circuit breakers.
     */
    public void watch(Peers peers) {
        CounterWithCallback.builder()
                .name("peer_requests")
                .help("Requests to another node, by outcome.")
                .labelNames("peer", "outcome")
                .callback(sample -> peers.all().forEach(peer -> addCounts(peer, sample)))
                .register(registry);
        GaugeWithCallback.builder()
                .name("peer_requests_queued")
                .help("Requests that wait for a connection to another node.")
                .labelNames("peer")
                .callback(
                        sample ->
                                peers.all()
                                        .forEach(
                                                peer ->
                                                        sample.call(
                                                                peer.queuedCount(), name(peer))))
                .register(registry);
        GaugeWithCallback.builder()
                .name("peer_breaker_state")
                .help("1 for the state of a node's circuit breaker, 0 for each other state.")
                .labelNames("peer", "state")
                .callback(sample -> peers.all().forEach(peer -> addState(peer, sample)))
                .register(registry);
    }

    private static void addCounts(RemoteNode peer, CounterWithCallback.Callback sample) {
        add(peer, "answered", PeerCounts::answeredCount, sample);
        add(peer, "unreachable", PeerCounts::unreachableCount, sample);
        add(peer, "silent", PeerCounts::silentCount, sample);
        add(peer, "refused", PeerCounts::refusedCount, sample);
        add(peer, "busy", PeerCounts::busyCount, sample);
    }

    private static void add(
            RemoteNode peer,
            String outcome,
            ToLongFunction<PeerCounts> count,
            CounterWithCallback.Callback sample) {
        sample.call(count.applyAsLong(peer.health().counts()), name(peer), outcome);
    }

    private static void addState(RemoteNode peer, GaugeWithCallback.Callback sample) {
        CircuitBreaker.State now = peer.health().breakerState();
        for (CircuitBreaker.State state : CircuitBreaker.State.values()) {
            sample.call(state == now ? 1 : 0, name(peer), state.name().toLowerCase(Locale.ROOT));
        }
    }

    private static String name(RemoteNode peer) {
        return peer.address().url();
    }
}
