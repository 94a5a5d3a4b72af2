package dht.stage5;

import dht.command.ServerProcess;
import dht.execution.CountedExecutor;
import dht.http.HttpOptions;
import dht.http.HttpServer;
import dht.http.ListenAddress;
import dht.http.Router;
import dht.metrics.ServerMetrics;
import dht.peer.InternalGate;
import dht.peer.Peers;
import dht.replication.CoordinatorContext;
import dht.replication.HybridLogicalClock;
import dht.replication.LocalReplica;
import dht.replication.ReplicatedEntityService;
import dht.replication.ReplicationMetrics;
import dht.replication.async.BatchService;
import dht.replication.async.ReplicaAccess;
import dht.sharding.Placement;
import dht.storage.lsm.LsmDao;
import java.io.IOException;

/** Stage 5, put together: selector → pool → peers and own storage, all at once. */
public final class Stage5Server implements ServerProcess.Running {
    private final ListenAddress address;
    private final HttpServer server;
    private final ReplicaAccess others;
    private final CountedExecutor executor;
    private final LsmDao dao;

    private Stage5Server(
            ListenAddress address,
            HttpServer server,
            ReplicaAccess others,
            CountedExecutor executor,
            LsmDao dao) {
        this.address = address;
        this.server = server;
        this.others = others;
        this.executor = executor;
        this.dao = dao;
    }

    /**
     * Starts a server that owns {@code others}, {@code executor} and {@code dao}, and closes them
     * when it is closed or cannot start.
     */
    public static Stage5Server start(
            ListenAddress address,
            HttpOptions options,
            Placement placement,
            ReplicaAccess others,
            HybridLogicalClock clock,
            CountedExecutor executor,
            LsmDao dao)
            throws IOException {
        try {
            // region wiring
            Peers peers = others.peers();
            LocalReplica local = new LocalReplica(dao, clock, peers.selfAddress().url());
            var context = new CoordinatorContext(clock, executor, options.bodyMemoryBytesMax() / 2);
            var fanOut = others.fanOut(context);
            var coordinator = new ReplicatedEntityService(placement, peers, local, clock, fanOut);
            Router router = Router.forNode(dao, coordinator.on(executor), executor, options);
            router.guard(InternalGate.PREFIX, peers.gate());
            BatchService.route(local, executor, router);
            ServerMetrics metrics = new ServerMetrics(System::nanoTime);
            metrics.watch(executor);
            metrics.watch(dao::stats);
            others.watch(metrics.registry());
            ReplicationMetrics.watch(context.counts(), metrics.registry());
            metrics.serveOn(router);
            HttpServer server = new HttpServer(address, options, router);
            server.start();
            others.warmUp(address.url());
            // endregion
            return new Stage5Server(address, server, others, executor, dao);
        } catch (IOException | RuntimeException e) {
            others.close();
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
        others.close();
        executor.close();
        dao.close();
    }
}
