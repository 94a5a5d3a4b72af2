package dht.stage1;

import dht.command.ResourceStack;
import dht.http.EntityService;
import dht.http.HttpOptions;
import dht.http.HttpServer;
import dht.http.ListenAddress;
import dht.http.LocalEntityService;
import dht.http.RequestExecutor;
import dht.http.Router;
import dht.storage.Dao;
import dht.storage.TimestampClock;
import java.io.IOException;
import java.time.InstantSource;

/** Connects the parts of the server: selector → inline executor → local service → storage. */
final class Stage1Server {
    private Stage1Server() {}

    /** Starts the server, and returns its URL. */
    static String start(
            ResourceStack resources, ListenAddress address, HttpOptions options, Dao dao)
            throws IOException {
        // region wiring
        TimestampClock clock =
                new TimestampClock(InstantSource.system(), dao.greatestTimestampMicros());
        RequestExecutor executor = RequestExecutor.inline();
        EntityService service = new LocalEntityService(dao, clock).on(executor);
        Router router = Router.forNode(dao, service, executor, options);
        resources.open(() -> new HttpServer(address, options, router)).start();
        // endregion
        return address.url();
    }
}
