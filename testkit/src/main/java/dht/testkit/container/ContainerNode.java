package dht.testkit.container;

import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.InternalServerErrorException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.exception.NotModifiedException;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.HealthCheck;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports.Binding;
import com.github.dockerjava.api.model.Volume;
import dht.testkit.concurrent.Deadline;
import dht.testkit.node.Ability;
import dht.testkit.node.Node;
import dht.testkit.node.NodeSpec;
import dht.testkit.node.Readiness;
import dht.testkit.node.StartFailure;
import dht.testkit.transcript.Mismatch;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.startupcheck.StartupCheckStrategy;
import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;

/**
 * A node that runs in its own container. Its data is in a directory of this machine, so it survives
 * restarts. Clients reach the node through a published port, other nodes over the {@link
 * ClusterNetwork}. For one thread at a time.
 */
final class ContainerNode implements Node {
    /** The path of the data directory inside the container. */
    static final String DATA = "/data";

    private static final Duration START_PATIENCE = Duration.ofSeconds(30);
    private static final Duration FREEZE_PATIENCE = Duration.ofSeconds(10);
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(STOP_SECONDS_MAX);

    private static final int LOG_CHARACTERS_MAX = 4000;

    private final NodeSpec spec;
    private final Server container;

    /**
     * The container. Testcontainers starts it once; later stops and starts go to Docker directly.
     */
    private static final class Server extends GenericContainer<Server> {
        private final NodeSpec spec;

        Server(String image, NodeSpec spec) {
            super(image);
            this.spec = spec;
        }

        @Override
        protected void containerIsCreated(String containerId) {
            ClusterNetwork.join(containerId, spec);
        }
    }

    /** Does not wait: the node itself waits until it is ready, at every start. */
    private static final class NoWait extends AbstractWaitStrategy {
        @Override
        protected void waitUntilReady() {}
    }

    private static final class NoCheck extends StartupCheckStrategy {
        @Override
        public StartupStatus checkStartupState(
                com.github.dockerjava.api.DockerClient client, String containerId) {
            return StartupStatus.SUCCESSFUL;
        }
    }

    ContainerNode(NodeSpec spec, String image, List<String> command) {
        this.spec = spec;
        this.container =
                new Server(image, spec)
                        .withCommand(command.toArray(String[]::new))
                        .withLabels(Docker.LABEL)
                        .withTmpFs(Map.of("/tmp", "rw,exec,mode=1777"))
                        .withCreateContainerCmdModifier(this::configure)
                        .withStartupCheckStrategy(new NoCheck())
                        .waitingFor(new NoWait());
    }

    private void configure(CreateContainerCmd create) {
        var published =
                new PortBinding(
                        Binding.bindIpAndPort(NodeSpec.HOST, spec.port()),
                        ExposedPort.tcp(spec.port()));
        var data = new Bind(spec.dataDir().toString(), new Volume(DATA));
        create.withUser(ownerOfData())
                .withEntrypoint("java") // A test chooses the flags, and knows when a node is ready.
                .withHealthcheck(new HealthCheck().withTest(List.of("NONE")))
                .withExposedPorts(ExposedPort.tcp(spec.port()));
        Objects.requireNonNull(create.getHostConfig()).withPortBindings(published).withBinds(data);
    }

    /**
     * The server runs as the user that owns the data directory, so that the tests can delete its
     * files.
     */
    private String ownerOfData() {
        try {
            return "%s:%s"
                    .formatted(
                            Files.getAttribute(spec.dataDir(), "unix:uid"),
                            Files.getAttribute(spec.dataDir(), "unix:gid"));
        } catch (IOException failed) {
            throw new IllegalStateException("dataDir=" + spec.dataDir(), failed);
        }
    }

    @Override
    public NodeSpec spec() {
        return spec;
    }

    @Override
    public URI clusterUrl() {
        return ClusterNetwork.url(spec.self());
    }

    private String id() {
        return container.getContainerId();
    }

    private Optional<InspectContainerResponse> inspect() {
        try {
            return id() == null
                    ? Optional.empty()
                    : Optional.of(Docker.client().inspectContainerCmd(id()).exec());
        } catch (NotFoundException _) {
            return Optional.empty();
        }
    }

    @Override
    public void start() {
        try {
            if (id() == null) {
                container.start();
            } else {
                Docker.client().startContainerCmd(id()).exec();
            }
        } catch (RuntimeException failed) {
            throw new StartFailure(StartFailure.kindOf(chain(failed)), chain(failed), failed);
        }
        var inTime =
                Deadline.in(START_PATIENCE)
                        .reached(() -> Readiness.answersStatus(spec) || !isRunning());
        if (!inTime || !isRunning()) {
            var how = isRunning() ? "was not ready in time" : "ended before it was ready";
            throw new StartFailure(
                    StartFailure.kindOf(logTail()),
                    "%s %s; it printed last:\n%s".formatted(spec.name(), how, logTail().indent(4)),
                    null);
        }
    }

    private static String chain(Throwable failure) {
        var text = new StringBuilder();
        for (var link = failure; link != null; link = link.getCause()) {
            text.append(link).append('\n');
        }
        return text.toString();
    }

    @Override
    public void requestStop() {
        signal("SIGTERM");
    }

    @Override
    public void awaitStop() {
        if (!Deadline.in(STOP_PATIENCE).reached(() -> !isRunning())) {
            kill();
            throw new Mismatch(
                    "the container stops within %s of SIGTERM"
                            .formatted(Deadline.words(STOP_PATIENCE)),
                    "it still runs");
        }
    }

    @Override
    public void kill() {
        signal("SIGKILL");
        Deadline.in(STOP_PATIENCE).await("a killed container to end", () -> !isRunning());
    }

    private void signal(String name) {
        try {
            Docker.client().killContainerCmd(id()).withSignal(name).exec();
        } catch (DockerException notRunning) {
            if (isRunning()) {
                throw notRunning;
            }
        }
    }

    /**
     * Pauses the container, with several attempts. Version 1 of Linux control groups may give up
     * the freeze of a busy container; then nothing is frozen, and the caller has to try again: <a
     * href="https://github.com/opencontainers/runc/pull/4388">runc, 4388</a>.
     */
    @Override
    public void pause() {
        var patience = Deadline.in(FREEZE_PATIENCE);
        while (true) {
            try {
                Docker.client().pauseContainerCmd(id()).exec();
                return;
            } catch (InternalServerErrorException notFrozen) {
                if (patience.passed()) {
                    throw notFrozen;
                }
            }
        }
    }

    @Override
    public void resume() {
        Docker.client().unpauseContainerCmd(id()).exec();
    }

    @Override
    public void cutOff() {
        ClusterNetwork.leave(id());
    }

    @Override
    public void slowDown() {
        SlowNetwork.begin(pid(), ClusterNetwork.address(spec.port()));
    }

    @Override
    public void reconnect() {
        if (inspect().filter(ClusterNetwork::isJoined).isEmpty()) {
            ClusterNetwork.join(id(), spec);
        } else {
            SlowNetwork.end(pid(), ClusterNetwork.address(spec.port()));
        }
    }

    private long pid() {
        return Objects.requireNonNull(inspect().orElseThrow().getState().getPidLong());
    }

    @Override
    public boolean isRunning() {
        return inspect().map(found -> found.getState().getRunning()).orElse(false);
    }

    @Override
    public OptionalInt exitCode() {
        return inspect()
                .filter(found -> !Boolean.TRUE.equals(found.getState().getRunning()))
                .map(found -> OptionalInt.of(found.getState().getExitCodeLong().intValue()))
                .orElse(OptionalInt.empty());
    }

    @Override
    public OptionalLong memoryBytesMax() {
        return OptionalLong.empty();
    }

    /** Nothing is left behind: Docker ends all processes of a container. */
    @Override
    public List<String> leftBehind() {
        return List.of();
    }

    @Override
    public Optional<String> whyNot(Ability ability) {
        return switch (ability) {
            case KILL, PAUSE, NETWORK_CUT, EXIT_CODE -> Optional.empty();
            case SLOW_NETWORK -> SlowNetwork.whyNot();
            case BOUNDED_MEMORY -> Optional.of("the server's memory has no known bound");
        };
    }

    @Override
    public String logTail() {
        if (id() == null) {
            return "";
        }
        try {
            var log = container.getLogs();
            return log.substring(Math.max(0, log.length() - LOG_CHARACTERS_MAX));
        } catch (NotFoundException | NotModifiedException _) {
            return "";
        }
    }

    @Override
    public void close() {
        try {
            container.stop(); // This removes the container.
        } catch (DockerException failed) {
            System.err.printf("%s: %s%n", spec.name(), failed.getMessage());
        }
    }
}
