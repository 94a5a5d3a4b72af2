package dht.stage3;

import dht.command.ResourceStack;
import dht.execution.CountedExecutor;
import dht.http.EntityService;
import dht.http.HttpOptions;
import dht.http.HttpServer;
import dht.http.ListenAddress;
import dht.http.LocalEntityService;
import dht.http.Router;
import dht.metrics.ServerMetrics;
import dht.peer.InternalGate;
import dht.peer.Peer;
import dht.peer.PeerMetrics;
import dht.peer.Peers;
import dht.sharding.Placement;
import dht.sharding.ShardedEntityService;
import dht.storage.TimestampClock;
import dht.storage.lsm.LsmDao;
import java.io.IOException;
import java.time.InstantSource;

/**
 * Connects the parts of the stage 3 server: selector → service that finds the key's owner → pool of
 * this node, or connection to the owner → storage. Stateless.
 */
final class Stage3Server {
    private Stage3Server() {}

    /** Starts the server, and returns its URL. */
    static String start(
            ResourceStack resources,
            ListenAddress address,
            HttpOptions options,
            Placement placement,
            Peers peers,
            CountedExecutor executor,
            LsmDao dao)
            throws IOException {
        // region wiring
        TimestampClock clock =
                new TimestampClock(InstantSource.system(), dao.greatestTimestampMicros());
        EntityService local = new LocalEntityService(dao, clock).on(executor);
        ShardedEntityService service =
                new ShardedEntityService(placement, peers.self(), peers.services(local));
        Router router = Router.forNode(dao, service, executor, options);
        router.guard(InternalGate.PREFIX, peers.gate());
        router.route(Peer.ENTITY_PATH, Router.entityHandlers(local));
        ServerMetrics metrics = new ServerMetrics(System::nanoTime);
        metrics.watch(executor);
        metrics.watch(dao::stats);
        new PeerMetrics(metrics.registry()).watch(service, peers);
        metrics.serveOn(router);
        resources.open(() -> new HttpServer(address, options, router)).start();
        // endregion
        return address.url();
    }
}
