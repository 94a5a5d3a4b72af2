package dht.stage3;

import dht.command.ServerProcess;
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

/** Stage 3, put together: selector → owner's service → its pool or that of its peer → storage. */
public final class Stage3Server implements ServerProcess.Running {
    private final ListenAddress address;
    private final HttpServer server;
    private final Peers peers;
    private final CountedExecutor executor;
    private final LsmDao dao;

    private Stage3Server(
            ListenAddress address,
            HttpServer server,
            Peers peers,
            CountedExecutor executor,
            LsmDao dao) {
        this.address = address;
        this.server = server;
        this.peers = peers;
        this.executor = executor;
        this.dao = dao;
    }

    /**
     * Starts a server that owns {@code peers}, {@code executor} and {@code dao}, and closes them
     * when it is closed or cannot start.
     */
    public static Stage3Server start(
            ListenAddress address,
            HttpOptions options,
            Placement placement,
            Peers peers,
            CountedExecutor executor,
            LsmDao dao)
            throws IOException {
        try {
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
            HttpServer server = new HttpServer(address, options, router);
            server.start();
            // endregion
            return new Stage3Server(address, server, peers, executor, dao);
        } catch (IOException | RuntimeException e) {
            peers.close();
            executor.close();
            dao.close();
            throw e;
        }
    }

    @Override
    public String url() {
        return address.url();
    }

    /** From the client inwards, so that nobody asks for what is gone. */
    @Override
    public void close() {
        server.stop();
        peers.close();
        executor.close();
        dao.close();
    }
}
