package dht.stage1;

import dht.command.ServerProcess;
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

/** Stage 1, put together: selector → inline executor → local service → storage. */
public final class Stage1Server implements ServerProcess.Running {
    private final ListenAddress address;
    private final HttpServer server;
    private final Dao dao;

    private Stage1Server(ListenAddress address, HttpServer server, Dao dao) {
        this.address = address;
        this.server = server;
        this.dao = dao;
    }

    /** Starts a server that owns {@code dao}, and closes it when it is closed or cannot start. */
    public static Stage1Server start(ListenAddress address, HttpOptions options, Dao dao)
            throws IOException {
        try {
            // region wiring
            TimestampClock clock =
                    new TimestampClock(InstantSource.system(), dao.greatestTimestampMicros());
            RequestExecutor executor = RequestExecutor.inline();
            EntityService service = new LocalEntityService(dao, clock).on(executor);
            Router router = Router.forNode(dao, service, executor, options);
            HttpServer server = new HttpServer(address, options, router);
            server.start();
            // endregion
            return new Stage1Server(address, server, dao);
        } catch (IOException | RuntimeException e) {
            dao.close();
            throw e;
        }
    }

    @Override
    public String url() {
        return address.url();
    }

    @Override
    public void close() {
        server.stop();
        dao.close();
    }
}
