package dht.stage2;

import dht.command.ResourceStack;
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

/**
 * Connects the parts of the stage 2 server: selector → bounded pool → local service → storage.
 * Stateless.
 */
final class Stage2Server {
    private Stage2Server() {}

    /** Starts the server, and returns its URL. */
    static String start(
            ResourceStack resources,
            ListenAddress address,
            HttpOptions options,
            CountedExecutor executor,
            LsmDao dao)
            throws IOException {
        // region wiring
        TimestampClock clock =
                new TimestampClock(InstantSource.system(), dao.greatestTimestampMicros());
        EntityService service = new LocalEntityService(dao, clock).on(executor);
        Router router = Router.forNode(dao, service, executor, options);
        ServerMetrics metrics = new ServerMetrics(System::nanoTime);
        metrics.watch(executor);
        metrics.watch(dao::stats);
        metrics.serveOn(router);
        resources.open(() -> new HttpServer(address, options, router)).start();
        // endregion
        return address.url();
    }
}
