package dht.benchmarks.floor;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.Function;

/** With which client a {@link BareCoordinator} asks the others. */
enum OthersKind {
    JDK_DEFAULT(others -> new JdkOthers(others, Optional.empty())),
    JDK_POOL(others -> new JdkOthers(others, Optional.of(pool()))),
    JDK_DIRECT(others -> new JdkOthers(others, Optional.of(Runnable::run))),
    ONE_NIO(OneNioOthers::new);

    private final Function<List<URI>, Others> opener;

    OthersKind(Function<List<URI>, Others> opener) {
        this.opener = opener;
    }

    Others open(List<URI> others) {
        return opener.apply(others);
    }

    private static Executor pool() {
        return Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
    }
}
