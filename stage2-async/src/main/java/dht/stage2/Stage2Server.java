package dht.stage2;

import dht.command.ServerProcess;
import dht.execution.CountedExecutor;
import dht.http.EntityService;
import dht.http.HttpOptions;
import dht.http.HttpServer;
import dht.http.ListenAddress;
import dht.http.LocalEntityService;
import dht.http.Router;
import dht.metrics.ServerMetrics;
import dht.storage.TimestampClock;
import dht.storage.lsm.LsmDao;
import java.io.IOException;
import java.time.InstantSource;

/** Stage 2, put together: selector → bounded pool → local service → storage. */
public final class Stage2Server implements ServerProcess.Running {
    private final ListenAddress address;
    private final HttpServer server;
    private final CountedExecutor executor;
    private final LsmDao dao;

    private Stage2Server(
            ListenAddress address, HttpServer server, CountedExecutor executor, LsmDao dao) {
        this.address = address;
        this.server = server;
        this.executor = executor;
        this.dao = dao;
    }

    /**
     * Starts a server that owns {@code executor} and {@code dao}, and closes them when it is closed
     * or cannot start.
     */
    public static Stage2Server start(
            ListenAddress address, HttpOptions options, CountedExecutor executor, LsmDao dao)
            throws IOException {
        try {
            // region wiring
            TimestampClock clock =
                    new TimestampClock(InstantSource.system(), dao.greatestTimestampMicros());
            EntityService service = new LocalEntityService(dao, clock).on(executor);
            Router router = Router.forNode(dao, service, executor, options);
            ServerMetrics metrics = new ServerMetrics(System::nanoTime);
            metrics.watch(executor);
            metrics.watch(dao::stats);
            metrics.serveOn(router);
            HttpServer server = new HttpServer(address, options, router);
            server.start();
            // endregion
            return new Stage2Server(address, server, executor, dao);
        } catch (IOException | RuntimeException e) {
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
        executor.close();
        dao.close();
    }
}
