package dht.testkit.container;

import com.github.dockerjava.api.command.BuildImageResultCallback;
import dht.testkit.node.TemporaryDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Docker images of servers. The image of each jar is built once. Threads may share this class. */
final class ServerImage {
    private static final Map<Path, String> MADE = new ConcurrentHashMap<>();

    /** Directories that the Dockerfile copies. The tests don't need the profiler. */
    private static final List<String> EMPTY = List.of("data", "tmp", "profiler");

    private ServerImage() {}

    /** The image's name. */
    static String of(Path jar) {
        return MADE.computeIfAbsent(jar.toAbsolutePath(), ServerImage::make);
    }

    private static String make(Path jar) {
        try (var context = TemporaryDirectory.create("image")) {
            var base = base();
            write(context.path(), "Dockerfile");
            Files.copy(jar, context.path().resolve("server.jar"));
            for (var empty : EMPTY) {
                Files.createDirectory(context.path().resolve(empty));
            }
            return build(context.path(), Docker.name("server"), base);
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot make an image of jar=" + jar, failed);
        }
    }

    /** The base image, or empty to use the one that the Dockerfile names. */
    private static Optional<String> base() throws IOException {
        if (!RuntimeImage.isMadeHere()) {
            return Optional.ofNullable(System.getProperty(RuntimeImage.PROPERTY));
        }
        try (var context = TemporaryDirectory.create("base-image")) {
            RuntimeImage.prepare(context.path());
            write(context.path(), "Dockerfile.base");
            Files.move(
                    context.path().resolve("Dockerfile.base"),
                    context.path().resolve("Dockerfile"),
                    StandardCopyOption.ATOMIC_MOVE);
            return Optional.of(build(context.path(), Docker.name("base"), Optional.empty()));
        }
    }

    private static void write(Path directory, String resource) throws IOException {
        try (var in = ServerImage.class.getResourceAsStream(resource)) {
            Files.copy(in, directory.resolve(resource));
        }
    }

    private static String build(Path context, String name, Optional<String> base) {
        var command =
                Docker.client()
                        .buildImageCmd(context.toFile())
                        .withTags(Set.of(name))
                        .withLabels(Docker.LABEL)
                        .withRemove(true);
        base.ifPresent(image -> command.withBuildArg("BASE", image));
        command.exec(new BuildImageResultCallback()).awaitImageId();
        return name;
    }
}
