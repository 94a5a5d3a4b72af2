package dht.testkit.tiny;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A jar that runs {@link TinyMain} from the class path of these tests. */
final class TinyJar {
    private TinyJar() {}

    static Path in(Path directory) throws IOException {
        var classPath =
                Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                        .map(entry -> Path.of(entry).toUri().toString())
                        .collect(Collectors.joining(" "));
        var manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, TinyMain.class.getName());
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, classPath);
        var jar = directory.resolve("tiny.jar");
        try (OutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            return jar;
        }
    }
}
