package dht.stage5;

import dht.command.ResourceStack;
import dht.execution.CountedExecutor;
import dht.http.HttpOptions;
import dht.http.HttpServer;
import dht.http.ListenAddress;
import dht.http.Router;
import dht.metrics.ServerMetrics;
import dht.peer.InternalGate;
import dht.peer.Peers;
import dht.repair.NodeReplacement;
import dht.replication.CoordinatorContext;
import dht.replication.Holders;
import dht.replication.HybridLogicalClock;
import dht.replication.LocalReplica;
import dht.replication.RegisterKind;
import dht.replication.ReplicatedEntityService;
import dht.replication.ReplicationMetrics;
import dht.replication.async.ReplicaAccess;
import dht.replication.batch.BatchService;
import dht.sharding.Placement;
import dht.storage.lsm.LsmDao;
import java.io.IOException;

/** Connects the parts of stage 5, which asks replicas at the same time. Stateless. */
final class Stage5Server {
    private Stage5Server() {}

    /** Starts the server, and returns its URL. */
    static String start(
            ResourceStack resources,
            ListenAddress address,
            HttpOptions options,
            Placement placement,
            ReplicaAccess others,
            HybridLogicalClock clock,
            RegisterKind reads,
            NodeReplacement replacement,
            CountedExecutor executor,
            LsmDao dao)
            throws IOException {
        // region wiring
        Peers peers = others.peers();
        var local = new LocalReplica(dao, clock, peers.selfAddress().url(), replacement::vote);
        var healing = resources.open(() -> replacement.heal(local, placement, peers, clock, dao));
        var context =
                new CoordinatorContext(placement.nodeCount(), clock, executor, options, healing);
        var fanOut = others.fanOut(context);
        var holders = new Holders(placement, peers, local, clock, healing);
        var coordinator = new ReplicatedEntityService(local, holders, fanOut, reads);
        Router router = Router.forNode(dao, coordinator.on(executor), executor, options);
        router.guard(InternalGate.PREFIX, peers.gate());
        BatchService.route(local, executor, router);
        healing.route(router, executor);
        replacement.clusterRange(dao).route(router);
        ServerMetrics metrics = new ServerMetrics(System::nanoTime);
        metrics.watch(executor);
        metrics.watch(dao::stats);
        others.watch(metrics.registry());
        ReplicationMetrics.watch(context.counts(), metrics.registry());
        healing.watch(metrics.registry());
        metrics.serveOn(router);
        resources
                .open(
                        () -> new HttpServer(address, options, router),
                        server -> context.remainingCopies().drain(server, options.drainTimeout()))
                .start();
        healing.introduce();
        others.warmUp(address.url());
        // endregion
        return address.url();
    }
}
