package dht.stage4;

import dht.command.ServerProcess;
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
import dht.replication.CoordinatorContext;
import dht.replication.HybridLogicalClock;
import dht.replication.LateWrites;
import dht.replication.LocalReplica;
import dht.replication.ReplicaService;
import dht.replication.ReplicatedEntityService;
import dht.replication.ReplicationMetrics;
import dht.replication.SequentialFanOut;
import dht.sharding.Placement;
import dht.storage.lsm.LsmDao;
import java.io.IOException;
import java.time.Duration;

/** Stage 4, put together: selector → pool → own storage → peer, one after the other. */
public final class Stage4Server implements ServerProcess.Running {
    private final ListenAddress address;
    private final HttpServer server;
    private final Duration drainTimeout;
    private final LateWrites lateWrites;
    private final Peers peers;
    private final CountedExecutor executor;
    private final LsmDao dao;

    private Stage4Server(
            ListenAddress address,
            HttpServer server,
            Duration drainTimeout,
            LateWrites lateWrites,
            Peers peers,
            CountedExecutor executor,
            LsmDao dao) {
        this.address = address;
        this.server = server;
        this.drainTimeout = drainTimeout;
        this.lateWrites = lateWrites;
        this.peers = peers;
        this.executor = executor;
        this.dao = dao;
    }

    /**
     * Starts a server that owns {@code peers}, {@code executor} and {@code dao}, and closes them
     * when it is closed or cannot start.
     */
    public static Stage4Server start(
            ListenAddress address,
            HttpOptions options,
            Placement placement,
            Peers peers,
            HybridLogicalClock clock,
            CountedExecutor executor,
            LsmDao dao)
            throws IOException {
        try {
            // region wiring
            LocalReplica local = new LocalReplica(dao, clock, peers.selfAddress().url());
            var context = new CoordinatorContext(clock, executor, options.bodyMemoryBytesMax() / 2);
            var fanOut = new SequentialFanOut(context);
            var coordinator = new ReplicatedEntityService(placement, peers, local, clock, fanOut);
            var copies = new ReplicaService(local).on(executor);
            Router router = Router.forNode(dao, coordinator.on(executor), executor, options);
            router.guard(InternalGate.PREFIX, peers.gate());
            router.route(Peer.ENTITY_PATH, Router.entityHandlers(copies));
            ServerMetrics metrics = new ServerMetrics(System::nanoTime);
            metrics.watch(executor);
            metrics.watch(dao::stats);
            new PeerMetrics(metrics.registry()).watch(peers);
            ReplicationMetrics.watch(context.counts(), metrics.registry());
            metrics.serveOn(router);
            HttpServer server = new HttpServer(address, options, router);
            server.start();
            // endregion
            return new Stage4Server(
                    address,
                    server,
                    options.drainTimeout(),
                    context.lateWrites(),
                    peers,
                    executor,
                    dao);
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

    /**
     * From the client inwards, so that nobody asks for what is gone: a write that was answered may
     * have copies left to make.
     */
    @Override
    public void close() {
        long deadlineNanos = System.nanoTime() + drainTimeout.toNanos();
        server.stop();
        try {
            lateWrites.awaitNone(deadlineNanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        peers.close();
        executor.close();
        dao.close();
    }
}
