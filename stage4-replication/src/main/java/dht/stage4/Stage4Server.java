package dht.stage4;

import dht.command.ResourceStack;
import dht.execution.CountedExecutor;
import dht.http.HttpOptions;
import dht.http.HttpServer;
import dht.http.ListenAddress;
import dht.http.Router;
import dht.metrics.ServerMetrics;
import dht.peer.InternalGate;
import dht.peer.Peer;
import dht.peer.PeerMetrics;
import dht.peer.Peers;
import dht.repair.NodeReplacement;
import dht.replication.CoordinatorContext;
import dht.replication.Holders;
import dht.replication.HybridLogicalClock;
import dht.replication.LocalReplica;
import dht.replication.RegisterKind;
import dht.replication.ReplicaService;
import dht.replication.ReplicatedEntityService;
import dht.replication.ReplicationMetrics;
import dht.replication.SequentialFanOut;
import dht.sharding.Placement;
import dht.storage.lsm.LsmDao;
import java.io.IOException;

/** Connects the parts of the stage 4 server: it asks a key's replicas in turn. Stateless. */
final class Stage4Server {
    private Stage4Server() {}

    /** Starts the server, and returns its URL. */
    static String start(
            ResourceStack resources,
            ListenAddress address,
            HttpOptions options,
            Placement placement,
            Peers peers,
            HybridLogicalClock clock,
            RegisterKind reads,
            NodeReplacement replacement,
            CountedExecutor executor,
            LsmDao dao)
            throws IOException {
        // region wiring
        String self = peers.selfAddress().url();
        LocalReplica local = new LocalReplica(dao, clock, self, replacement::vote);
        var healing = resources.open(() -> replacement.heal(local, placement, peers, clock, dao));
        var context =
                new CoordinatorContext(placement.nodeCount(), clock, executor, options, healing);
        var fanOut = new SequentialFanOut(context);
        var holders = new Holders(placement, peers, local, clock, healing);
        var coordinator = new ReplicatedEntityService(local, holders, fanOut, reads);
        var copies = new ReplicaService(local).on(executor);
        Router router = Router.forNode(dao, coordinator.on(executor), executor, options);
        router.guard(InternalGate.PREFIX, peers.gate());
        router.route(Peer.ENTITY_PATH, Router.entityHandlers(copies));
        healing.route(router, executor);
        replacement.clusterRange(dao).route(router);
        ServerMetrics metrics = new ServerMetrics(System::nanoTime);
        metrics.watch(executor);
        metrics.watch(dao::stats);
        new PeerMetrics(metrics.registry()).watch(peers);
        ReplicationMetrics.watch(context.counts(), metrics.registry());
        healing.watch(metrics.registry());
        metrics.serveOn(router);
        resources
                .open(
                        () -> new HttpServer(address, options, router),
                        server -> context.remainingCopies().drain(server, options.drainTimeout()))
                .start();
        healing.introduce();
        // endregion
        return address.url();
    }
}
