package dht.testkit.container;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.testcontainers.DockerClientFactory;

/**
 * The Docker daemon, and what this JVM has created there. All of this has one label and is removed
 * when the JVM ends. Threads may share this class.
 */
final class Docker {
    /** The label of everything that this JVM creates. Its value is unique. */
    static final Map<String, String> LABEL = Map.of("dht.workbook", UUID.randomUUID().toString());

    private static final String SOCKET = "/var/run/docker.sock";

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(Docker::removeAll, "docker cleanup"));
    }

    private Docker() {}

    /** Why containers cannot be used here; empty if they can be used. */
    static Optional<String> whyNot() {
        return Availability.WHY_NOT;
    }

    /** Tells Testcontainers not to start its own cleanup container: this class does the cleanup. */
    private static final String NO_REAPER = "TESTCONTAINERS_RYUK_DISABLED";

    /** Looked up once, because the search takes seconds if there is no daemon. */
    private static final class Availability {
        static final Optional<String> WHY_NOT = find();

        private static Optional<String> find() {
            if (System.getenv("DOCKER_HOST") == null && !Files.exists(Path.of(SOCKET))) {
                return missing("there is no DOCKER_HOST, nor " + SOCKET);
            }
            if (!Boolean.parseBoolean(System.getenv(NO_REAPER))) {
                return Optional.of(
                        "containers need the environment variable %s=true".formatted(NO_REAPER));
            }
            return DockerClientFactory.instance().isDockerAvailable()
                    ? Optional.empty()
                    : missing("it does not answer");
        }

        private static Optional<String> missing(String how) {
            return Optional.of(
                    "containers need a Docker daemon, and %s: run ./workbook doctor for details"
                            .formatted(how));
        }
    }

    static DockerClient client() {
        return DockerClientFactory.lazyClient();
    }

    /** A unique name for a container, an image or a network. */
    static String name(String what) {
        return "dht-workbook-" + what + "-" + LABEL.values().iterator().next().substring(0, 8);
    }

    /** Removes containers first, because they use the networks and images. */
    private static void removeAll() {
        if (!DockerClientFactory.instance().isDockerAvailable()) {
            return;
        }
        var client = client();
        client.listContainersCmd().withShowAll(true).withLabelFilter(LABEL).exec().stream()
                .map(container -> client.removeContainerCmd(container.getId()).withForce(true))
                .forEach(command -> quietly(command.withRemoveVolumes(true)::exec));
        client.listNetworksCmd().withFilter("label", labels()).exec().stream()
                .map(network -> client.removeNetworkCmd(network.getId()))
                .forEach(command -> quietly(command::exec));
        client.listImagesCmd().withLabelFilter(LABEL).exec().stream()
                .map(image -> client.removeImageCmd(image.getId()).withForce(true))
                .forEach(command -> quietly(command::exec));
    }

    private static List<String> labels() {
        return LABEL.entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .toList();
    }

    private static void quietly(Runnable removal) {
        try {
            removal.run();
        } catch (NotFoundException _) {
            // It was already removed.
        } catch (DockerException failed) {
            System.err.println("docker cleanup: " + failed.getMessage());
        }
    }
}
